/**
 * The event bus that a host and its bridges share: synchronous, in the order of registration, payloads by reference, no
 * replay. Each handler is isolated: one that throws or rejects costs the others nothing (EVT-014).
 */
export class EventBus {
  #handlers = new Map();
  #onError;

  /** @param {(error: unknown, channel: string) => void} [onError] hears of handlers that throw or reject */
  constructor(onError = () => {}) {
    this.#onError = onError;
  }

  /**
   * @param {string} channel
   * @param {(data: any) => unknown} handler
   * @returns {() => void} ends the registration
   */
  on(channel, handler) {
    // An object of its own, so that a handler can be registered twice and each registration ended by itself.
    const registration = { handler };
    if (!this.#handlers.has(channel)) this.#handlers.set(channel, new Set());
    this.#handlers.get(channel).add(registration);
    return () => this.#handlers.get(channel).delete(registration);
  }

  /** Returns when all handlers that are registered now have returned. */
  emit(channel, data) {
    for (const { handler } of [...(this.#handlers.get(channel) ?? [])]) {
      try {
        const returned = handler(data);
        if (typeof returned?.then === "function") returned.then(undefined, (error) => this.#onError(error, channel));
      } catch (error) {
        this.#onError(error, channel);
      }
    }
  }
}
