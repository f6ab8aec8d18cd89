// Named grok patterns and their scopes. Each block of a script is a scope, and the outermost scope falls back on the
// built-in patterns (docs/reference/grok.md#functions).

/** The type that captured text is converted to. */
export type FieldType = "string" | "int" | "float" | "bool";

/** The expansion of a grok expression or definition: one plain regular expression, and the types of its fields. */
export interface Expansion {
  readonly regex: string;
  readonly types: ReadonlyMap<string, FieldType>;
  /**
   * Maps the name of a regex group to the name of its field. The map has only the groups whose name differs from the
   * name of the field, because the field name has characters that a group name cannot have. Absent when there is no
   * such group.
   */
  readonly fieldNames?: ReadonlyMap<string, string>;
  /**
   * The references of the expression, from left to right, each with the regex group that replaced the reference; absent
   * when the expression has no references.
   */
  readonly references?: readonly Reference[];
  /** For an expression in a script: maps a UTF-16 index in the expression to the UTF-16 index in the script. */
  readonly place?: (offset: number) => number;
}

/** A reference `%{NAME:alias}` and the regex group that replaced it. All offsets are UTF-16 indexes. */
export interface Reference {
  readonly name: string;
  /** The field that the reference captures; null for a reference without alias. */
  readonly field: string | null;
  /** Start and end of the reference in the expression as written. */
  readonly source: readonly [start: number, end: number];
  /**
   * Start and end of the group in the expanded regex, and the offset at which the definition begins inside the group.
   */
  readonly group: readonly [start: number, end: number];
  readonly body: number;
  readonly definition: Expansion;
}

/**
 * A source of patterns, such as the built-in patterns or pattern files. A name is looked up in the source when no scope
 * (block of a script) defines it.
 */
export interface PatternSource {
  /**
   * Whether names such as `[source][address]` in references and groups mean the field `source.address`, as in the
   * Elastic Common Schema (ECS).
   */
  readonly ecs?: boolean;
  lookup(name: string): Expansion | undefined;
  /** Returns the names of all patterns that the source has. */
  names?(): Iterable<string>;
}

/**
 * A scope of pattern definitions. A name that is visible in the scope cannot be defined again, except that a definition
 * may replace a built-in pattern.
 */
export class PatternScope implements PatternSource {
  private readonly parent: PatternScope | null;
  private readonly library: PatternSource | null;
  private readonly defined = new Map<string, Expansion>();

  /**
   * Makes a scope. Names that the scope does not define are looked up in the scope `parent`; the outermost scope has no
   * parent and looks them up in `library`.
   */
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
