// Named patterns and their scopes: one scope for each block of a script, with the library around them all (grok
// document, docs/reference/grok.md#functions).

/** The type that a captured text is converted to. */
export type FieldType = "string" | "int" | "float" | "bool";

/** The expansion of an expression or a definition: one plain regular expression and the types of its fields. */
export interface Expansion {
  readonly regex: string;
  readonly types: ReadonlyMap<string, FieldType>;
  /** The field for each group name, for groups whose fields have names that groups cannot have; absent when there are none. */
  readonly fieldNames?: ReadonlyMap<string, string>;
  /** The references of the expression and their groups, from left to right; absent when there are none. */
  readonly references?: readonly Reference[];
  /** Maps a character of the expression to its place in the script that defines it; both are UTF-16 indexes. */
  readonly place?: (offset: number) => number;
}

/** A reference, `%{NAME:alias}`, and the group that replaced it. Offsets are UTF-16 indexes. */
export interface Reference {
  readonly name: string;
  /** The name of the field; null for a reference without alias. */
  readonly field: string | null;
  /** Start and end of the reference in the expression. */
  readonly source: readonly [start: number, end: number];
  /** Start and end of the group in the expansion's regex, and where the definition begins in the regex. */
  readonly group: readonly [start: number, end: number];
  readonly body: number;
  readonly definition: Expansion;
}

/** A source of patterns by name, asked when no scope has the name: the built-in patterns and those of pattern files. */
export interface PatternSource {
  /**
   * Whether names such as `[source][address]` stand for the field `source.address`, in references and groups (Elastic
   * Common Schema).
   */
  readonly ecs?: boolean;
  lookup(name: string): Expansion | undefined;
  /** Returns every name of the source. */
  names?(): Iterable<string>;
}

/**
 * A scope of definitions. A definition cannot be changed: a name that is visible in the scope cannot be defined again,
 * except for names of the library.
 */
export class PatternScope implements PatternSource {
  private readonly parent: PatternScope | null;
  private readonly library: PatternSource | null;
  private readonly defined = new Map<string, Expansion>();

  /** Makes a scope. `library` is the source for names that the outermost scope does not have; inner scopes ask their parent. */
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
