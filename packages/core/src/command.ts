/**
 * A command is one record. Parsing, `--help`, `--json` schemas, shell completion, skill tables and the web app's command
 * palette are derived from it.
 *
 * - `defineRecord(record)` describes a command; `defineCommand(record, handler)` adds its handler, loaded when it runs.
 * - `HandlerOf<typeof record>`, `InputOf<typeof record>` the types of its handler and of the handler's input. The record is
 *   separate from the handler, because otherwise the two types would depend on each other.
 * - `option(schema, { short, positional })` how an argument is typed on the command line; `.describe()` is its help text.
 */
import { z } from "zod";
import type { Config, ConfigInspection, ConfigSources, Environment } from "./config.ts";

export const commandEffects = ["read", "write", "meta"] as const;
export type CommandEffect = (typeof commandEffects)[number];

export const commandCategories = ["Start", "Runs", "Evals", "Brain", "Team", "Browse", "Care", "Settings"] as const;
export type CommandCategory = (typeof commandCategories)[number];

export interface CommandExample {
  /** Without the leading `devflow`. */
  readonly run: string;
  readonly does: string;
}

/** What a handler gets besides its arguments. It never touches the process directly, so tests can replace all of it. */
export interface CommandContext {
  readonly cwd: string;
  readonly env: Environment;
  /** The current settings, with flags applied; throws `config_invalid`. */
  config(flags?: ConfigSources["flags"]): Config;
  /** Never throws: for commands that must work with a broken configuration. */
  inspectConfig(): ConfigInspection;
  readonly output: Output;
  /** Aborted by Ctrl-C and by SIGTERM. */
  readonly signal: AbortSignal;
  readStdin(): Promise<string>;
  /** The same as a byte stream: for input that may be large or binary. */
  stdinBytes(): AsyncIterable<Uint8Array>;
}

/** Results go to standard output, messages to standard error. */
export interface Output {
  readonly json: boolean;
  readonly isTerminal: boolean;
  /** Its width in characters. */
  readonly columns: number;
  /** The result: `value` with `--json`, otherwise `text`. Called at most once. */
  result(value: unknown, text: string): void;
  /** One line of a stream of results: newline-delimited JSON with `--json`. */
  item(value: unknown, text: string): void;
  /** Progress and messages, on standard error. */
  note(text: string): void;
}

/** A command without its handler. */
export interface CommandRecord<Args extends z.ZodObject = z.ZodObject> {
  /** The words as typed: `config get`. */
  readonly name: string;
  /** One line, no full stop. */
  readonly summary: string;
  readonly description?: string;
  readonly category: CommandCategory;
  readonly effect: CommandEffect;
  readonly args: Args;
  readonly examples: readonly CommandExample[];
  /** Shape of what `--json` prints. */
  readonly output?: z.ZodType;
  /** It deletes something or ends someone's work: never suggested for a typo. */
  readonly destroys?: boolean;
  /** Not listed in help; for Devflow's own processes. */
  readonly hidden?: boolean;
}

// biome-ignore lint/suspicious/noConfusingVoidType: a handler that returns nothing exits with 0
export type CommandHandler<Input = object> = (input: Input, context: CommandContext) => Promise<number | void>;

export type InputOf<Record extends Pick<CommandRecord, "args">> = z.output<Record["args"]>;
export type HandlerOf<Record extends Pick<CommandRecord, "args">> = CommandHandler<InputOf<Record>>;

/** Any command, with any arguments. */
export interface AnyCommand extends CommandRecord {
  /** Loaded only when the command runs. A returned number is the exit code; otherwise 0. */
  readonly handler: () => Promise<CommandHandler<never>>;
}

export function defineRecord<Args extends z.ZodObject>(record: CommandRecord<Args>): CommandRecord<Args> {
  return record;
}

export function defineCommand<Args extends z.ZodObject>(
  record: CommandRecord<Args>,
  handler: () => Promise<HandlerOf<CommandRecord<Args>>>,
): AnyCommand {
  return { ...record, handler };
}

interface OptionShape {
  /** One letter: `d` for `-d`. */
  readonly short?: string;
  /** Position among the arguments that are not flags; the last one may be an array that takes the rest. */
  readonly positional?: number;
  /** Placeholder for the value in help: `<file>`. */
  readonly placeholder?: string;
  /** A flag that deletes something: never suggested for a typo. */
  readonly destroys?: boolean;
  /** With `positional`: a list that takes only the words after `--`. */
  readonly afterDashes?: boolean;
}

const shapes = z.registry<OptionShape>();

export function option<S extends z.ZodType>(schema: S, shape: OptionShape): S {
  shapes.add(schema, shape);
  return schema;
}

const optionKinds = ["flag", "text", "number", "choice", "list"] as const;

/** One argument of a command as it appears on the command line, derived from its zod schema. */
export interface CommandOption {
  readonly key: string;
  /** `--dry-run`, or the positional's name. */
  readonly flag: string;
  readonly short: string | undefined;
  readonly positional: number | undefined;
  readonly afterDashes: boolean;
  readonly destroys: boolean;
  readonly kind: (typeof optionKinds)[number];
  readonly choices: readonly string[];
  readonly required: boolean;
  readonly placeholder: string;
  readonly summary: string;
  readonly defaultValue: unknown;
}

/** Read from the schema once: a process that parses many commands, as the browser daemon, needs 0.3 ms for it each time. */
const known = new WeakMap<z.ZodObject, readonly CommandOption[]>();

export function optionsOf(args: z.ZodObject): readonly CommandOption[] {
  const options = known.get(args) ?? readOptions(args);
  known.set(args, options);
  return options;
}

function readOptions(args: z.ZodObject): CommandOption[] {
  return Object.entries(args.shape as Record<string, z.ZodType>).map(([key, schema]) => {
    const found = unwrap(schema);
    const shape = found.shape;
    const name = key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    return {
      key,
      flag: shape.positional === undefined ? `--${name}` : name,
      short: shape.short,
      positional: shape.positional,
      afterDashes: shape.afterDashes === true,
      destroys: shape.destroys === true,
      kind: found.kind,
      choices: found.choices,
      required: !found.optional,
      placeholder: shape.placeholder ?? (found.choices.length > 0 ? found.choices.join("|") : `<${name}>`),
      summary: found.summary,
      defaultValue: found.defaultValue,
    };
  });
}

interface Unwrapped {
  kind: CommandOption["kind"];
  choices: readonly string[];
  optional: boolean;
  summary: string;
  defaultValue: unknown;
  shape: OptionShape;
}

function unwrap(schema: z.ZodType): Unwrapped {
  const found: Unwrapped = {
    kind: "text",
    choices: [],
    optional: false,
    summary: "",
    defaultValue: undefined,
    shape: {},
  };
  let current: z.ZodType | undefined = schema;
  while (current) {
    found.summary ||= current.description ?? "";
    found.shape = { ...shapes.get(current), ...found.shape };
    if (current instanceof z.ZodOptional) {
      found.optional = true;
      current = current.unwrap() as z.ZodType;
    } else if (current instanceof z.ZodDefault) {
      found.optional = true;
      found.defaultValue = current.def.defaultValue;
      current = current.unwrap() as z.ZodType;
    } else if (current instanceof z.ZodPipe) {
      current = current.in as z.ZodType;
    } else {
      if (current instanceof z.ZodBoolean) found.kind = "flag";
      else if (current instanceof z.ZodNumber) found.kind = "number";
      else if (current instanceof z.ZodArray) found.kind = "list";
      else if (current instanceof z.ZodEnum) {
        found.kind = "choice";
        found.choices = current.options.map(String);
      }
      current = undefined;
    }
  }
  return found;
}
