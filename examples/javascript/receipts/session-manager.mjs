/** Session managers as the platform of these adapters has them, and the commands that move them. */

class SessionManager {
  #sessionId;
  #cwd;
  #leaf = null;
  #parents = new Map();

  constructor(sessionId, cwd, branch) {
    this.#sessionId = sessionId;
    this.#cwd = cwd;
    for (const entry of branch) this.append(entry);
  }

  /** Another object that looks exactly like `other`. */
  static like(other) {
    const copy = new SessionManager(other.#sessionId, other.#cwd, []);
    copy.#leaf = other.#leaf;
    copy.#parents = new Map(other.#parents);
    return copy;
  }

  getSessionId() {
    return this.#sessionId;
  }

  getCwd() {
    return this.#cwd;
  }

  getLeafId() {
    return this.#leaf;
  }

  /** The ids of the entries of the live branch, the root first. */
  getBranch() {
    const branch = [];
    for (let entry = this.#leaf; entry !== null; entry = this.#parents.get(entry)) branch.unshift(entry);
    return branch;
  }

  append(entry) {
    this.#parents.set(entry, this.#leaf);
    this.#leaf = entry;
  }

  move(entry) {
    this.#leaf = entry;
  }

  enter(sessionId = this.#sessionId, cwd = this.#cwd) {
    this.#sessionId = sessionId;
    this.#cwd = cwd;
  }
}

const HIDDEN = {
  missing: undefined,
  throws: () => {
    throw new Error("the leaf cannot be told");
  },
  undefined: () => undefined,
};

/**
 * The commands of both receipt roles. `onEnter(manager, { session, cwd })` is told what has become another.
 * @param {import("../askproof-adapter.d.mts").Handles} handles
 */
export function managerCommands(handles, onEnter) {
  return {
    manager({ manager, session, cwd, branch, like }) {
      const model = handles.get(like);
      handles.set(manager, model ? SessionManager.like(model) : new SessionManager(session, cwd, branch));
    },

    append({ manager, entry }) {
      handles.get(manager).append(entry);
    },

    move({ manager, entry }) {
      handles.get(manager).move(entry);
    },

    hide({ manager, leaf }) {
      const target = handles.get(manager);
      if (leaf === "shown") delete target.getLeafId;
      else target.getLeafId = HIDDEN[leaf];
    },

    enter({ manager: name, session, cwd }) {
      const manager = handles.get(name);
      const before = { session: manager.getSessionId(), cwd: manager.getCwd() };
      manager.enter(session, cwd);
      onEnter(manager, {
        session: manager.getSessionId() !== before.session,
        cwd: manager.getCwd() !== before.cwd,
      });
    },
  };
}
