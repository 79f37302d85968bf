/** The tool that asks a human, and writes down what was decided and by whom (spec/journal.md). */
import { AskError, readAsk } from "./ask.mjs";
import { decisionOf, lineOf, resultOf } from "./decision.mjs";
import { Prompt } from "./prompt.mjs";

export class AskTool {
  #clock;
  #journals;

  /** @param {{ name: string, append(decision: object): void }[]} journals all that a decision is written to */
  constructor(clock, journals) {
    this.#clock = clock;
    this.#journals = journals;
  }

  /**
   * Asks, and writes when the ask has ended (JRN-030). Rejected with an AskError if there is nothing to write.
   * @param {{ open(prompt: Prompt): void, show(position: number): void }} [ui]
   * @returns {Promise<{ result: object, text: string, card: string }>}
   */
  async ask(input, ui) {
    const questions = readAsk(input);
    if (!ui) throw new AskError("unavailable", "there is no user interface"); // JRN-035
    const prompt = new Prompt(questions, this.#clock, (position) => ui.show(position));
    ui.open(prompt);
    prompt.start();
    const { outcomes, cancelled } = await prompt.ended;
    const diagnostics = this.#write(outcomes.map(decisionOf));
    const text = outcomes.map(lineOf).join("\n") || "Nothing was answered.";
    return { result: { outcomes: outcomes.map(resultOf), cancelled, diagnostics }, text, card: text };
  }

  /** To each journal, whatever becomes of the other (JRN-060 to JRN-062). */
  #write(decisions) {
    const diagnostics = new Set();
    for (const decision of decisions) {
      for (const journal of this.#journals) {
        try {
          journal.append(decision);
        } catch (error) {
          diagnostics.add(`the ${journal.name} journal could not be written: ${error.code ?? "it failed"}`);
        }
      }
    }
    return [...diagnostics];
  }
}
