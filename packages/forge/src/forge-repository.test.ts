import { describe, expect, test } from "bun:test";
import { forgeHosts } from "./forge-hosts.ts";
import { parseRemote, shownRemote } from "./forge-repository.ts";

const hosts = forgeHosts([
  "git.example.com=gitea:EXAMPLE_TOKEN",
  "code.example.com:8443=gitlab",
  "ghe.example.com=github",
]);
const found = (url: string) => {
  const one = parseRemote(url, hosts);
  return one && `${one.kind} ${one.site} ${one.path} ${one.tokenVariables.join()}`;
};

describe("which repository a remote is", () => {
  test.each([
    ["https://github.com/acme/greet.git", "github https://github.com acme/greet GH_TOKEN,GITHUB_TOKEN"],
    ["git@github.com:acme/greet.git", "github https://github.com acme/greet GH_TOKEN,GITHUB_TOKEN"],
    ["ssh://git@github.com:22/acme/greet", "github https://github.com acme/greet GH_TOKEN,GITHUB_TOKEN"],
    ["https://ada:secret@GitHub.com/acme/greet/", "github https://github.com acme/greet GH_TOKEN,GITHUB_TOKEN"],
    ["https://gitlab.com/a/b/c.git", "gitlab https://gitlab.com a/b/c GITLAB_TOKEN"],
    ["https://code.example.com:8443/a/b.git", "gitlab https://code.example.com:8443 a/b GITLAB_TOKEN"],
    ["git@git.example.com:a/b.git", "gitea https://git.example.com a/b EXAMPLE_TOKEN"],
    ["http://git.example.com/a/b", "gitea http://git.example.com a/b EXAMPLE_TOKEN"],
    // A token of github.com is not for another host.
    ["https://ghe.example.com/a/b", "github https://ghe.example.com a/b GH_ENTERPRISE_TOKEN"],
  ])("%s", (url, expected) => expect(found(url)).toBe(expected));

  test.each([
    "/srv/git/greet.git",
    "file:///srv/git/greet.git",
    "https://example.com/acme/greet.git",
    "https://github.com/greet.git",
    "git@github.com:acme/../greet",
    "https://github.com.example.com/acme/greet",
    "ext::sh -c evil",
  ])("%s is none", (url) => expect(parseRemote(url, hosts)).toBeUndefined());

  test("an entry of the setting that cannot be used is refused", () => {
    expect(() => forgeHosts(["git.example.com=svn"])).toThrow('cannot be used: "git.example.com=svn"');
    expect(() => forgeHosts(["git.example.com=gitea:a b"])).toThrow("cannot be used");
  });

  test("no password is shown", () => {
    expect(shownRemote("https://ada:secret@github.com/a/b")).toBe("https://github.com/a/b");
    expect(shownRemote("git@github.com:a/b")).toBe("git@github.com:a/b");
  });
});
