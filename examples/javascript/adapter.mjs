/**
 * Everything that is implemented here, behind one adapter:
 *
 * askproof run 'exec:node examples/javascript/adapter.mjs'
 */
import { serve } from "./askproof-adapter.mjs";
import askBridge from "./events/bridge-adapter.mjs";
import askHost from "./events/host-adapter.mjs";
import journalReader from "./journal/reader-adapter.mjs";
import journalWriter from "./journal/writer-adapter.mjs";
import receiptConsumer from "./receipts/consumer-adapter.mjs";
import receiptIssuer from "./receipts/issuer-adapter.mjs";

serve({
  implementation: { name: "askproof-javascript", version: "1.0", language: "javascript" },
  namespace: "@example/ask",
  secondNamespace: "@example/second",
  roles: {
    "ask-host": askHost,
    "ask-bridge": askBridge,
    "receipt-issuer": receiptIssuer,
    "receipt-consumer": receiptConsumer,
    "journal-writer": journalWriter,
    "journal-reader": journalReader,
  },
});
