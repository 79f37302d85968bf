/**
 * The host beside this one with three faults that hosts in use were found with. What the kit says of it, with exit status 1:
 *
 * - EVT-080: it takes the label for the value, and a value with blanks or in another case;
 * - EVT-010: it loses the answer to a question whose id is `__proto__`;
 * - EVT-058: it hands the result itself to the listeners of `completed`, and what they change the tool returns.
 */
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

import type { Option, Row } from "../host/form.ts";
import { AskHost, install } from "../host/index.ts";

class FaultyHost extends AskHost {
  protected override find(options: Option[], value: string): Option | undefined {
    const near = (text: string) => text.trim().toLowerCase() === value.trim().toLowerCase();
    return super.find(options, value) ?? options.find((option) => near(option.value) || near(option.label));
  }

  protected override record(rows: [string, Row][]): Record<string, Row> {
    const answers: Record<string, Row> = {};
    for (const [id, row] of rows) answers[id] = row;
    return answers;
  }

  protected override payload(data: object): object {
    return "result" in data ? data : super.payload(data);
  }
}

export default (pi: ExtensionAPI) => install(pi, FaultyHost);
