import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { canonicalRemote } from "@devflow/core/canonical-remote";
import { git, initRepository } from "@devflow/git";
import { temporaryFolder } from "@devflow/testkit";
import { folderKey, repositoryOf } from "./index.ts";

const rows: [string, string | undefined][] = [
  ["git@github.com:Acme/Shop.git", "github.com/acme/shop"],
  ["https://github.com/acme/shop", "github.com/acme/shop"],
  ["https://ada:t0ken@GitHub.com/acme/shop.git/", "github.com/acme/shop"],
  ["ssh://git@github.com:22/acme/shop.git", "github.com/acme/shop"],
  ["git+ssh://git@github.com/acme/shop", "github.com/acme/shop"],
  ["https://git.example.org:8443/Team/Repo.git", "git.example.org:8443/Team/Repo"],
  ["https://git.example.org/a//b/c.git?ref=x#y", "git.example.org/a/b/c"],
  ["host:path/to/repo", "host/path/to/repo"],
  ["/srv/git/shop.git", undefined],
  ["file:///srv/git/shop.git", undefined],
  ["../shop", undefined],
  ["C:\\repos\\shop", undefined],
  ["https://example.org/../../etc", undefined],
  ["ext::sh -c evil", undefined],
  ["", undefined],
];

test.each(rows)("%s is %s", (url, canonical) => {
  expect(canonicalRemote(url)).toBe(canonical);
});

test("a key is the name of one folder, and two repositories never share one", () => {
  const names = ["github.com/acme/shop", "github.com/acme%2Fshop", "..", ".hidden", "a b", "https://x.example", "ä/ö"];
  const keys = names.map(folderKey);
  expect(keys).toMatchInlineSnapshot(`
    [
      "github.com%2Facme%2Fshop",
      "github.com%2Facme%252Fshop",
      "%2E.",
      "%2Ehidden",
      "a%20b",
      "https%3A%2F%2Fx.example",
      "%C3%A4%2F%C3%B6",
    ]
  `);
  expect(new Set(keys).size).toBe(names.length);
  const long = [`h/${"a".repeat(400)}/1`, `h/${"a".repeat(400)}/2`].map(folderKey);
  expect([new Set(long).size, Math.max(...long.map((key) => key.length)) <= 200]).toEqual([2, true]);
});

describe("a folder", () => {
  test("belongs to the same repository in every worktree, whatever the clone is called", async () => {
    const root = temporaryFolder();
    const shop = join(root, "shop");
    await initRepository(shop, { files: { a: "1\n" }, message: "Start" });
    const alone = await repositoryOf({ cwd: shop }, "machine-1");
    expect(alone).toMatch(/^local\/shop-[0-9a-f]{8}$/);
    expect(await repositoryOf({ cwd: shop }, "machine-2")).not.toBe(alone);
    await git(["worktree", "add", "--quiet", "--detach", join(root, "other")], { cwd: shop });
    expect(await repositoryOf({ cwd: join(root, "other") }, "machine-1")).toBe(alone);
    await git(["remote", "add", "fork", "https://github.com/ada/shop"], { cwd: shop });
    await git(["remote", "add", "origin", "git@github.com:acme/shop.git"], { cwd: shop });
    expect(await repositoryOf({ cwd: join(root, "other") }, "machine-1")).toBe("github.com/acme/shop");
    expect(await repositoryOf({ cwd: root }, "machine-1")).toBeUndefined();
  });
});
