// The scale of colours: its bar with three marks, and what the values are.

import { GRADIENT, short, type Range } from "./colour";
import { element } from "./dom";

/** Formats a value of the scale. */
const mark = (x: number) => short(x).replace("-", "−");

export class Legend {
  readonly root = element("div", { className: "legend", hidden: true });
  private readonly title = element("span", { className: "title" });
  private readonly note = element("span", { className: "note" });
  private readonly marks = [0, 1, 2].map(() => element("b"));

  constructor() {
    const bar = element("i", { style: `background:${GRADIENT}` });
    this.root.append(element("div", { className: "head" }, this.title, this.note), bar, ...this.marks);
  }

  /** Shows a scale with its label; `note` says which values it spans. */
  show(label: string, range: Range, note = "") {
    this.root.hidden = false;
    const texts = [range[0], (range[0] + range[1]) / 2, range[1]].map(mark);
    [this.title, this.note, ...this.marks].forEach((part, k) => {
      const text = [label, note, ...texts][k];
      if (part.textContent !== text) part.textContent = text;
    });
  }

  hide() { this.root.hidden = true; }
}
