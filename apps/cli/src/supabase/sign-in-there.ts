/** Signs a person in to a Supabase project in the way they chose: by mail, or with a provider in a browser. */
import type { CommandContext } from "@devflow/core/command";
import { DevflowError } from "@devflow/core/errors";
import { git } from "@devflow/git";
import { lineAsker } from "../sync/ask-line.ts";
import { personName } from "../sync/person.ts";
import type { StoredSignIn } from "../team/auth-file.ts";
import { signInByMail, signInByProvider } from "./sign-in-to-supabase.ts";
import type { SupabaseProject } from "./supabase-auth.ts";

export interface SignInChoice {
  readonly name?: string | undefined;
  readonly email?: string | undefined;
  readonly provider?: string | undefined;
}

export async function signInThere(
  context: CommandContext,
  project: SupabaseProject,
  { name, email, provider }: SignInChoice,
  ask: (question: string) => Promise<string> = lineAsker(context),
): Promise<StoredSignIn> {
  if (provider !== undefined) return await signInByProvider(context, project, provider);
  const person = { name: await personName(context, name), email: email ?? (await gitAddress(context)) };
  return await signInByMail(context, project, person, ask);
}

async function gitAddress({ cwd, env, signal }: CommandContext): Promise<string> {
  const { stdout } = await git(["config", "--get", "user.email"], { cwd, env, signal, answers: [1] });
  const address = stdout.trim();
  if (address.includes("@")) return address;
  throw new DevflowError("usage", {
    details: {
      problem: "It is not known to which e-mail address the code should be sent.",
      next: "Name it: devflow sync setup --email <address>",
    },
  });
}
