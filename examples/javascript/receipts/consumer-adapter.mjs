/** Drives the consumer: the issuer that it subscribes to is one that delivers whatever a case says. */
import { ReceiptConsumer } from "./consumer.mjs";
import { managerCommands } from "./session-manager.mjs";

function begin({ see, handles }) {
  const callbacks = new Set();
  const consumer = new ReceiptConsumer((manager, callback) => {
    callbacks.add(callback);
    // The callback stays: this issuer may be late, and what it delivers then must not be kept.
    return () => see({ unsubscribed: handles.nameOf(manager) });
  });

  return {
    ...managerCommands(handles, (manager, changed) => {
      if (changed.session || changed.cwd) consumer.sessionEnds(manager);
    }),

    shutdown({ manager }) {
      consumer.sessionEnds(handles.get(manager));
    },

    watch({ manager, budget }) {
      consumer.watch(handles.get(manager), budget);
    },

    deliver({ receipt, via }) {
      if (via !== "subscription") return; // there is no other way in (RCP-061)
      const sessionManager = handles.get(receipt?.sessionManager?.handle);
      const delivered = receipt?.sessionManager === undefined ? receipt : { ...receipt, sessionManager };
      for (const callback of callbacks) callback(delivered);
    },

    mode({ mode }) {
      consumer.setMode(mode);
    },

    agreed(question) {
      see({ agreed: consumer.hasAgreed(question) });
    },

    evidence() {
      see({ evidence: consumer.evidence });
    },

    emit() {
      // The consumer does not listen on the bus.
    },
  };
}

export default { capabilities: ["virtual-time"], begin };
