/**
 * Rolling back database migrations drops what they created. One row per tool: its name, and its words for a rollback.
 *
 * - `migrationRollback(program, words)` the rule that one of the tools breaks, if any.
 * - `namedRollback(argv)` the same by the name of a script.
 */
import type { Rule } from "./destructive-rules.ts";

/** Matched against the words joined by single spaces, without options; the value of an option may precede them. */
const tools: Readonly<Record<string, RegExp>> = {
  alembic: /(^|\s)downgrade\b/,
  artisan: /(^|\s)(migrate:(rollback|reset|refresh|fresh)|db:wipe)\b/,
  atlas: /(^|\s)(migrate down|schema clean)\b/,
  "db-migrate": /(^|\s)(down|reset)\b/,
  dbmate: /(^|\s)(down|rollback|drop)\b/,
  diesel: /(^|\s)(migration (revert|redo)|database reset)\b/,
  "doctrine-migrations": /(^|\s)(migrations:)?migrate (prev|first|0)\b/,
  dotnet: /(^|\s)ef database drop\b/,
  "drizzle-kit": /(^|\s)drop\b/,
  flask: /(^|\s)db downgrade\b/,
  flyway: /\b(undo|clean)\b/,
  goose: /(^|\s)(down|down-to|reset|redo)\b/,
  "graphile-migrate": /(^|\s)reset\b/,
  knex: /(^|\s)migrate:(rollback|down)\b/,
  liquibase: /\b(rollback\S*|drop-?all)\b/i,
  "manage.py": /(^|\s)(flush\b|migrate\b.*\bzero\b|reset_db\b|sqlflush\b)/,
  migrate: /(^|\s)(down|drop)\b/,
  "mikro-orm": /(^|\s)(migration:down|schema:drop)\b/,
  mix: /(^|\s)ecto\.(rollback|drop|reset)\b/,
  "node-pg-migrate": /(^|\s)(down|redo)\b/,
  phinx: /(^|\s)rollback\b/,
  prisma: /(^|\s)migrate reset\b/,
  rails: /(^|\s)db:(rollback|drop|reset|migrate:(down|reset|redo))\b/,
  rake: /(^|\s)db:(rollback|drop|reset|migrate:(down|reset|redo))\b/,
  "sea-orm-cli": /(^|\s)migrate (down|fresh|refresh|reset)\b/,
  sequelize: /(^|\s)db:(migrate:undo|drop)\b/,
  "sequelize-cli": /(^|\s)db:(migrate:undo|drop)\b/,
  sqlx: /(^|\s)(migrate revert|database (drop|reset))\b/,
  supabase: /(^|\s)db reset\b/,
  typeorm: /(^|\s)(migration:revert|schema:drop)\b/,
  "typeorm-ts-node-commonjs": /(^|\s)(migration:revert|schema:drop)\b/,
  "typeorm-ts-node-esm": /(^|\s)(migration:revert|schema:drop)\b/,
  yoyo: /(^|\s)rollback\b/,
};

/** Common names for scripts: `npm run db:migrate:undo`. */
const namedScript = /^(db:rollback|(db:)?migrat(e|ion|ions)[:-](rollback|undo|revert|reset|down|refresh|fresh))(:|$)/;

export function migrationRollback(program: string, words: readonly string[]): Rule | undefined {
  const pattern = tools[program];
  if (!pattern) return undefined;
  const isForced = program === "prisma" && words.some((word) => /^--(force-reset|accept-data-loss)$/.test(word));
  const plain = words.filter((word) => !word.startsWith("-")).join(" ");
  return isForced || pattern.test(plain) ? broken : undefined;
}

export function namedRollback(argv: readonly string[]): Rule | undefined {
  return argv.some((word) => namedScript.test(word)) ? broken : undefined;
}

const broken: Rule = {
  rule: "migration rollback",
  reason: "rolling back migrations drops what they created, with its data",
};
