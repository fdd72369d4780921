import { expect, test } from "bun:test";
import { auditCommand } from "./audit-command.ts";

const cwd = "/work/tree";
const rules = (text: string) => auditCommand(text, cwd).map(({ rule, severity }) => `${severity} ${rule}`);

test.each([
  ["npm test", []],
  ["git status && ls -la", []],
  ["echo 'rm -rf /'", []],
  ["rm -rf dist build/*.js", ["low rm -rf"]],
  ["rm -rf ./node_modules", ["low rm -rf"]],
  ["rm -rf /work/tree/dist", ["low rm -rf"]],
  ["rm -rf .", ["high rm -rf"]],
  ["rm -rf *", ["high rm -rf"]],
  ["rm -rf ../other", ["high rm -rf"]],
  ["rm -rf /work/tree-2", ["high rm -rf"]],
  ["rm -rf ~/Documents", ["high rm -rf"]],
  ['rm -rf "$HOME"', ["high rm -rf"]],
  ["rm -rf .git", ["high rm -rf"]],
  ["git reset --hard HEAD~3", ["medium git reset --hard"]],
  ["git clean -fdx", ["medium git clean"]],
  ["git -C /elsewhere clean -fdx", ["high git clean"]],
  ["git push -f origin main", ["high git push --force"]],
  ["git branch -D main", ["high git branch -D"]],
  ["psql -c 'drop database shop'", ["high drop database"]],
  ["docker compose down -v", ["high docker compose down -v"]],
  ["npx prisma migrate reset --force", ["high migration rollback"]],
  ["sudo rm -rf /etc", ["high rm -rf"]],
  ["/bin/bash -lc 'cd src && rm -rf ../../x'", ["high rm -rf"]],
  ["cat .env && rm -rf /", ["high rm -rf"]],
  ["rm -rf dist; rm -rf /; git push --force", ["high rm -rf", "high git push --force"]],
  ["node -e \"require('child_process').execSync('rm -rf /')\"", ["high rm -rf"]],
] as const)("%s", (text, expected) => {
  expect(rules(text)).toEqual([...expected]);
});

test("a string that cannot be read with certainty is searched", () => {
  expect(rules("cat <<EOF\nhello\nEOF\nrm -rf / ")).toEqual(["high rm -rf"]);
  expect(rules("echo 'open quote; git clean -fd")).toEqual(["medium git clean"]);
});
