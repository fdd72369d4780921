/**
 * Which environment variables agents and commands get. Everything that is not named here stays with Devflow.
 *
 * - `isPassed(name)` whether everyone's agents and commands get it.
 * - `repositoryFault(name)` why a repository's `.devflow.json` may not add it; undefined when it may.
 * - `isTelling(name)` whether its value is a secret by its name.
 *
 * A repository may add names that cannot hold a secret. A person may add any name (`pass_environment`).
 */

/** docs/secrets.md shows this table. */
export const passedVariables: Readonly<Record<string, readonly string[]>> = {
  "The account and the machine": [
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "HOSTNAME",
    "PATH",
    "TMPDIR",
    "TMP",
    "TEMP",
    "TZ",
  ],
  "Language and terminal": ["LANG", "LANGUAGE", "LC_*", "TERM", "COLORTERM", "NO_COLOR", "FORCE_COLOR", "CI"],
  "Folders of the desktop": ["XDG_*", "DISPLAY", "WAYLAND_DISPLAY"],
  Certificates: [
    ...["SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"],
    "CARGO_HTTP_CAINFO",
  ],
  Proxies: [
    ...["http_proxy", "https_proxy", "all_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"],
  ],
  "JavaScript and browsers": [
    ...["NODE_ENV", "NODE_PATH", "NVM_DIR", "NVM_BIN", "VOLTA_HOME", "PNPM_HOME", "BUN_INSTALL", "DENO_DIR"],
    ...["npm_config_cache", "npm_config_registry", "PLAYWRIGHT_BROWSERS_PATH", "CHROME_BIN", "CHROME_PATH"],
    "PUPPETEER_EXECUTABLE_PATH",
  ],
  "Other languages": [
    ...["JAVA_HOME", "MAVEN_HOME", "GRADLE_HOME", "GRADLE_USER_HOME", "ANDROID_HOME", "ANDROID_SDK_ROOT"],
    ...["GOPATH", "GOROOT", "GOCACHE", "GOMODCACHE", "GOFLAGS", "CARGO_HOME", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN"],
    ...["PYENV_ROOT", "VIRTUAL_ENV", "CONDA_PREFIX", "RBENV_ROOT", "GEM_HOME", "GEM_PATH", "DOTNET_ROOT"],
    ...["SDKMAN_DIR", "ASDF_DIR", "ASDF_DATA_DIR", "MISE_DATA_DIR", "HOMEBREW_PREFIX"],
  ],
};

const names = new Set(Object.values(passedVariables).flat());
const prefixes = [...names].filter((name) => name.endsWith("*")).map((name) => name.slice(0, -1));

export function isPassed(name: string): boolean {
  return names.has(name) || (prefixes.some((prefix) => name.startsWith(prefix)) && !isTelling(name));
}

const telling =
  /(^|_)(TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|API_?KEY|ACCESS_?KEY(_ID)?|PRIVATE_?KEY)(_|$)/i;

export const isTelling = (name: string): boolean => telling.test(name);

/** Words in a name, and vendors, whose variables often hold a secret or lead to one. */
const riskyWords = new Set(
  (
    "TOKEN TOKENS SECRET SECRETS PASS PASSWORD PASSWD PASSPHRASE PWD CREDENTIAL CREDENTIALS KEY KEYS APIKEY AUTH " +
    "AUTHORIZATION BEARER COOKIE COOKIES SESSION PRIVATE SIGNING SALT PEPPER DSN URL URI CONN CONNECTION DATABASE DB " +
    "WEBHOOK JWT OAUTH PAT CERT CONFIG NETRC PGPASSFILE PGPASSWORD"
  ).split(" "),
);
const vendors =
  /^(AWS|AZURE|ARM|GOOGLE|GCP|GCLOUD|CLOUDSDK|CLOUDFLARE|CF|DIGITALOCEAN|GITHUB|GH|GITLAB|BITBUCKET|NPM|NODE_AUTH|PYPI|TWINE|DOCKER|KUBE\w*|VAULT|STRIPE|OPENAI|ANTHROPIC|CLAUDE|CODEX|GEMINI|HF|SLACK|SENTRY|SSH|GPG|GIT|DEVFLOW|PG|MYSQL|REDIS|MONGO\w*)(_|$)/;

export function repositoryFault(name: string): string | undefined {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return "expected the name of a variable, without a value";
  const upper = name.toUpperCase();
  if (!vendors.test(upper) && !upper.split("_").some((word) => riskyWords.has(word))) return undefined;
  return `${name} may hold a secret, so a repository cannot ask for it; a person can: devflow config set pass_environment ${name}`;
}
