// The exit codes of the command line, declared once. docs/errors.md is generated from this list.

export const exitCodes = {
  done: { code: 0, meaning: "All is well.", remedy: "Nothing." },
  failed: {
    code: 1,
    meaning: "The command failed, found a mistake or damage, or could not read its command line.",
    remedy: "Read standard error; `millrace COMMAND --help` lists the options.",
  },
  usage: {
    code: 2,
    meaning: "`millrace platform check`, `repair`, `backup`, `restore` and `export`: the command line is wrong.",
    remedy: "Read standard error; `millrace platform VERB --help` lists the options.",
  },
  refused: {
    code: 255,
    meaning: "`millrace debug`, `tool` and `import`: rules or points have a mistake, or the destination refused.",
    remedy: "Correct what the line that begins with `[E]` names.",
  },
} as const;
