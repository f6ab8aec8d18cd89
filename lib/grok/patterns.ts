// Named patterns and where they are visible: a scope per block of a script, the library around them all
// (docs/reference/grok.md#functions).

/** The type a captured text is converted to. */
export type FieldType = "string" | "int" | "float" | "bool";

/** The expansion of an expression or a definition: one plain regular expression and the types of its fields. */
export interface Expansion {
  readonly regex: string;
  readonly types: ReadonlyMap<string, FieldType>;
  /** Field by group name, of groups whose fields have names that no group can have; absent when there are none. */
  readonly fieldNames?: ReadonlyMap<string, string>;
  /** What became of its references, from left to right; absent when there are none. */
  readonly references?: readonly Reference[];
  /** Maps a character of the expression to its place in the script that defines it; both are UTF-16 indexes. */
  readonly place?: (offset: number) => number;
}

/** A reference, `%{NAME:alias}`, and the group it became. Offsets are UTF-16 indexes. */
export interface Reference {
  readonly name: string;
  /** The name of the field; null for a reference without alias. */
  readonly field: string | null;
  /** The reference in the expression. */
  readonly source: readonly [start: number, end: number];
  /** The group in the expansion's regex, and where the definition begins in it. */
  readonly group: readonly [start: number, end: number];
  readonly body: number;
  readonly definition: Expansion;
}

/** Patterns by name, asked when no scope knows the name: the built-in ones and those of pattern files. */
export interface PatternSource {
  /** Names such as `[source][address]` stand for the field `source.address`, in references and groups (Elastic Common Schema). */
  readonly ecs?: boolean;
  lookup(name: string): Expansion | undefined;
  /** Every name that it knows. */
  names?(): Iterable<string>;
}

/** Definitions are immutable once made: a name that is visible from here cannot be defined again, but for the library's. */
export class PatternScope implements PatternSource {
  private readonly parent: PatternScope | null;
  private readonly library: PatternSource | null;
  private readonly defined = new Map<string, Expansion>();

  /** `library` is what the outermost scope falls back to; inner ones ask their parent. */
  constructor(parent: PatternScope | null, library: PatternSource | null = null) {
    this.parent = parent;
    this.library = library;
  }

  get ecs(): boolean {
    return (this.parent ?? this.library)?.ecs === true;
  }

  define(name: string, definition: Expansion): "ok" | "already defined" {
    if (this.local(name) !== undefined) return "already defined";
    this.defined.set(name, definition);
    return "ok";
  }

  lookup(name: string): Expansion | undefined {
    return this.defined.get(name) ?? (this.parent ?? this.library)?.lookup(name);
  }

  *names(): Iterable<string> {
    yield* this.defined.keys();
    yield* (this.parent ?? this.library)?.names?.() ?? [];
  }

  child(): PatternScope {
    return new PatternScope(this);
  }

  private local(name: string): Expansion | undefined {
    return this.defined.get(name) ?? this.parent?.local(name);
  }
}
