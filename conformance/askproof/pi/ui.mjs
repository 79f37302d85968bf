/** The user interface of Pi with a person at it who does nothing: what an extension opens stays open until it closes it. */

const COLUMNS = 100;

/** The dialogs of Pi, with the answers that Pi gives for those that were aborted or ran out of time. */
export function silentUi(mode, { theme, makeTui, makeKeybindings }) {
  const nothing = () => {};
  return {
    select: (_title, _options, options) => dialog(options, undefined),
    confirm: (_title, _message, options) => dialog(options, false),
    input: (_title, _placeholder, options) => dialog(options, undefined),
    editor: () => dialog({}, undefined),
    async custom(factory) {
      if (mode !== "tui") return undefined; // as Pi does where it has no terminal
      return new Promise((resolve, reject) => {
        let component;
        const done = (value) => {
          component?.dispose?.();
          resolve(value);
        };
        Promise.resolve()
          .then(() => factory(makeTui(), theme, makeKeybindings(), done))
          .then((made) => {
            component = made;
            component.render(COLUMNS);
          })
          .catch(reject);
      });
    },
    notify: (message) => console.error(`notification: ${message}`),
    onTerminalInput: () => nothing,
    setStatus: nothing,
    setWorkingMessage: nothing,
    setWorkingVisible: nothing,
    setWorkingIndicator: nothing,
    setHiddenThinkingLabel: nothing,
    setWidget: nothing,
    setFooter: nothing,
    setHeader: nothing,
    setTitle: nothing,
    pasteToEditor: nothing,
    setEditorText: nothing,
    getEditorText: () => "",
    addAutocompleteProvider: nothing,
    setEditorComponent: nothing,
    getEditorComponent: nothing,
    theme,
    getAllThemes: () => [],
    getTheme: nothing,
    setTheme: () => ({ success: false, error: "there is one theme" }),
    getToolsExpanded: () => false,
    setToolsExpanded: nothing,
  };
}

function dialog({ signal, timeout } = {}, otherwise) {
  if (signal?.aborted) return Promise.resolve(otherwise);
  return new Promise((resolve) => {
    const timer = timeout && setTimeout(() => end(), timeout);
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve(otherwise);
    };
    signal?.addEventListener("abort", end);
  });
}

/** A terminal that nobody sees, for the real classes of Pi's terminal library. */
export function blindTerminal() {
  const nothing = () => {};
  return {
    columns: COLUMNS,
    rows: 40,
    kittyProtocolActive: false,
    start: nothing,
    stop: nothing,
    drainInput: async () => {},
    write: nothing,
    moveBy: nothing,
    hideCursor: nothing,
    showCursor: nothing,
    clearLine: nothing,
    clearFromCursor: nothing,
    clearScreen: nothing,
    setTitle: nothing,
    setProgress: nothing,
    setProgramStatus: nothing,
  };
}
