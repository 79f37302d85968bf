/** What a receipt says of a question and of its answer, as it was when the human was asked. */

/**
 * Copies what a call asks, so that the caller's objects do not matter from now on (RCP-015).
 * @returns {{question: string, prompt: string, answerOf(row: unknown): object | undefined}[]} one for each question
 */
export function captureQuestions(toolName, input, mode) {
  if (toolName === "ask_user_choice") return [captureChoice(input)];
  // Previews are displayed in the terminal and nowhere else (RCP-019).
  return input.questions.map((asked) => captureAsked(asked, mode === "tui"));
}

function captureChoice({ question, options, allowCustomResponse }) {
  const allowsCustom = allowCustomResponse === true;
  const prompt = { question, options: options.map(offer), allowCustomResponse: allowsCustom };
  return capture(prompt, { multiSelect: false, allowsCustom });
}

function captureAsked({ question, header, multiSelect, options }, showsPreviews) {
  const offered = options.map((option) => ({ ...offer(option), ...(showsPreviews && { preview: option.preview }) }));
  const prompt = { question, header, multiSelect: multiSelect === true, options: offered };
  return capture(prompt, { multiSelect: prompt.multiSelect, allowsCustom: true });
}

/** What the human sees of an option, which its opaque value is no part of (RCP-022). */
const offer = ({ label, description }) => ({ label, description });

function capture(prompt, rules) {
  const labels = [...new Set(prompt.options.map(({ label }) => label))];
  return {
    question: prompt.question,
    prompt: JSON.stringify(prompt), // leaves out what is undefined, keeps lone surrogates as escapes
    answerOf: (row) => answerOf(row, { ...rules, labels }),
  };
}

/** The answer that a receipt shows (RCP-020), or undefined if the selection is not valid (RCP-037). */
function answerOf(row, { labels, multiSelect, allowsCustom }) {
  const { labels: chosen = [], text } = row ?? {};
  const isCustom = text !== undefined;
  if (isCustom && (!allowsCustom || text.trim() === "")) return undefined;
  if (new Set(chosen).size !== chosen.length) return undefined;
  if (!chosen.every((label) => labels.includes(label))) return undefined;

  if (multiSelect) {
    if (chosen.length === 0) return isCustom ? { kind: "custom", text } : undefined;
    const selected = labels.filter((label) => chosen.includes(label));
    return isCustom ? { kind: "custom", text, selected } : { kind: "multi", selected };
  }
  if (chosen.length + Number(isCustom) !== 1) return undefined;
  return isCustom ? { kind: "custom", text } : { kind: "option", text: chosen[0], selected: chosen };
}
