/**
 * Calls `ask_user_choice` or `ask_user_question`: asks through the UI, and lets the issuer deliver.
 * The result is the same whether anything was delivered or not (RCP-043).
 * @param {import("./issuer.mjs").ReceiptIssuer} issuer
 * @param {(call: object) => Promise<unknown[] | undefined>} showForm the rows of the human; undefined: they cancelled
 */
export async function askUser(issuer, call, showForm) {
  call.signal.throwIfAborted();
  if (call.background || call.mode === "print" || call.mode === "json") throw new Error("nobody is there to be asked");
  const deliver = issuer.capture(call);
  const rows = await showForm(call);
  if (rows === undefined) return { cancelled: true, answers: [] };
  deliver(rows);
  return { cancelled: false, answers: rows };
}
