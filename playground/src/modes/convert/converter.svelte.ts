// The state of the convert mode. The page's project (scripts, inputs and settings of the user) contains a body;
// after each change, this class converts the body.

import { download, fileName } from "../../state/files.ts";
import type { ConverterInput } from "../../state/project.ts";
import type { Session } from "../../state/session.svelte.ts";
import { sizeText } from "../../state/text.ts";
import { t } from "../../text/translate.ts";
import type { Conversion, Fault, Written } from "../../worker/convert/conversion.ts";
import { bodyText, formTitles } from "./forms.ts";
import { readBody } from "./take-file.ts";

/** The body is converted when the input has not changed for this many milliseconds. */
const pauseMs = 150;

export class Converter {
  readonly session: Session;
  /** The last result from the worker; null before the first result and for an empty body. */
  conversion = $state.raw<Conversion | null>(null);
  /** The error message when the worker could not convert the body; else empty. */
  failure = $state("");
  /** Whether the body or its settings have changed since the last result (`conversion`) was computed. */
  isStale = $state(false);
  /**
   * Position to which the editor moves its cursor. Setting a new object moves the cursor, even to the same position.
   */
  jump = $state.raw<{ readonly ln: number; readonly col: number } | null>(null);
  private turn = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(session: Session) {
    this.session = session;
  }

  get input(): ConverterInput {
    return this.session.project.convert;
  }

  get isEmpty(): boolean {
    return this.input.body.trim() === "";
  }

  /**
   * Starts a conversion after a short pause. Every call restarts the pause, so quick changes cause only one conversion.
   */
  schedule(): void {
    this.turn++;
    this.isStale = true;
    clearTimeout(this.timer);
    if (this.isEmpty) {
      this.conversion = null;
      this.failure = "";
    } else this.timer = setTimeout(() => void this.convert(), pauseMs);
  }

  private async convert(): Promise<void> {
    const own = this.turn;
    let answer: Conversion | null = null;
    let failure = "";
    try {
      answer = await this.session.convert();
    } catch (error) {
      failure = error instanceof Error ? error.message : String(error);
    }
    if (own !== this.turn) return;
    this.failure = failure;
    if (answer !== null) this.conversion = answer;
    this.isStale = answer === null;
  }

  change(part: Partial<ConverterInput>): void {
    this.session.changeMode("convert", part);
  }

  /**
   * Replaces the body and its settings. If the old body was not empty, shows the message `text` with an undo button.
   */
  replace(input: ConverterInput, text: string): void {
    const before = this.input;
    const wasEmpty = this.isEmpty;
    this.change(input);
    if (!wasEmpty) this.session.say({ tone: "info", text, undo: () => this.change(before) });
  }

  async takeFile(file: File): Promise<void> {
    const taken = await readBody(file);
    if (taken.kind === "refused") this.session.say({ tone: "error", text: taken.reason });
    else
      this.replace(
        { ...this.input, body: taken.body, form: taken.form },
        t("{file} is the body now.", { file: file.name }),
      );
  }

  /**
   * Replaces the body by the text of the clipboard. Returns false when the clipboard is empty or the browser denies
   * access.
   */
  async paste(): Promise<boolean> {
    try {
      const body = await navigator.clipboard.readText();
      if (body.trim() === "") return false;
      this.replace({ ...this.input, body, form: "auto" }, t("The body was pasted."));
      return true;
    } catch {
      return false;
    }
  }

  /** Replaces the body by a result of the conversion, which has another wire form. */
  use({ form, bytes }: Written): void {
    this.replace(
      { ...this.input, body: bodyText(form, bytes), form, precision: "" },
      t("The body is {form} now.", { form: t(formTitles[form]) }),
    );
  }

  save({ form, bytes }: Written): void {
    const name = fileName(this.session.project.title, form);
    download(new Blob([bytes]), name);
    this.session.say({
      tone: "info",
      text: t("Saved as {file}, {size}.", { file: name, size: sizeText(bytes.length) }),
    });
  }

  goTo({ line, column }: Fault): void {
    this.jump = { ln: line, col: column };
  }
}
