/**
 * Plays the human of the bridge beside this: what the phone shows is observed, and what its human does is sent.
 * All other commands, those of the host among them, are performed by the kit.
 */
export const namespace = "@example/ask";
export const secondNamespace = "@example/second";

/** What the bridge can do besides what every extension can, which is `reload` and `shutdown`. */
export const capabilities = ["buttons", "provider", "second-namespace", "transport"];

const PHONE = "@example/phone";

/** Called for each case, before the session starts; `bus` is the event bus of Pi, `see` reports an observation. */
export function begin({ see, bus }) {
  bus.on(`${PHONE}:show`, ({ form, questions }) => {
    const shown = ({ prompt, options }) => ({ prompt, options: options.map(({ label }) => label) });
    see({ shown: form, questions: questions.map(shown) });
  });
  bus.on(`${PHONE}:tell`, ({ form, outcome, answers }) => see({ told: form, outcome, answers }));
  bus.on(`${PHONE}:close`, ({ form }) => see({ closed: form }));

  return {
    act({ form, then, answers }) {
      if (then === "cancel") bus.emit(`${PHONE}:cancel`, { form });
      else bus.emit(`${PHONE}:answer`, { form, mode: then, picks: answers });
    },
    press: ({ form, button }) => bus.emit(`${PHONE}:press`, { form, button }),
    transport: ({ connected }) => bus.emit(`${PHONE}:line`, { connected }),
  };
}
