/** The evidence bundles of a workspace, newest first, each with its verified state. */
import type { BrowseBundle } from "@devflow/protocol";
import { Link } from "@tanstack/react-router";
import { bundleWord, count } from "../../model/browse/browse-words.ts";
import { RelativeTime } from "../../parts/relative-time.tsx";
import { StateWord } from "../../parts/state-word.tsx";
import { EmptyNote, FaultNote, SkeletonRows } from "../../parts/states.tsx";
import { useBundles } from "./browse-queries.ts";

export function BundleList({ workspace }: { workspace: string }) {
  const bundles = useBundles(workspace);
  if (bundles.isPending) return <SkeletonRows count={3} />;
  if (bundles.isError) return <FaultNote fault={bundles.error} onRetry={() => void bundles.refetch()} />;
  if (bundles.data.bundles.length === 0) {
    return (
      <EmptyNote title="No evidence yet" command="devflow browse evidence start">
        Records commands, receipts and pictures for the current commit, until you run evidence stop.
      </EmptyNote>
    );
  }
  return (
    <>
      <table className="w-full table-fixed border-collapse text-left">
        <caption className="sr-only">Evidence bundles</caption>
        <thead>
          <tr className="h-8 border-b border-line bg-sunken text-meta text-ink-soft">
            <th scope="col" className="px-4 font-normal">
              Bundle
            </th>
            <th scope="col" className="w-32 px-4 font-normal">
              State
            </th>
            <th scope="col" className="hidden w-40 px-4 font-normal wide:table-cell">
              Commit
            </th>
            <th scope="col" className="hidden w-56 px-4 text-right font-normal wide:table-cell">
              Contents
            </th>
            <th scope="col" className="hidden w-28 px-4 text-right font-normal wide:table-cell">
              When
            </th>
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {bundles.data.bundles.map((bundle) => (
            <Row key={bundle.bundle} workspace={workspace} bundle={bundle} />
          ))}
        </tbody>
      </table>
      {!bundles.data.isWhole && (
        <p className="border-t border-line px-4 py-2 text-meta text-ink-soft">Showing only the newest.</p>
      )}
    </>
  );
}

function Row({ workspace, bundle }: { workspace: string; bundle: BrowseBundle }) {
  return (
    <tr className="h-12 hover:bg-hover" data-bundle={bundle.bundle}>
      <td className="px-4">
        <Link
          to="/browse/$workspace/evidence/$bundle"
          params={{ workspace, bundle: bundle.bundle }}
          data-row
          className="block truncate font-medium outline-offset-2 hover:underline"
        >
          {bundle.name || bundle.bundle}
        </Link>
        <span className="block truncate font-mono text-meta text-ink-soft">{bundle.problem ?? bundle.bundle}</span>
      </td>
      <td className="px-4">
        <StateWord {...bundleWord(bundle)} />
      </td>
      <td className="hidden px-4 wide:table-cell">
        <span className="block truncate font-mono text-meta">{bundle.commit?.slice(0, 12) ?? "none"}</span>
        <span className="block truncate text-meta text-ink-soft">{bundle.branch ?? ""}</span>
      </td>
      <td className="hidden px-4 text-right text-meta tabular-nums wide:table-cell">
        {count(bundle.commands, "command")}, {count(bundle.pictures, "picture")}
      </td>
      <td className="hidden px-4 text-right text-ink-soft wide:table-cell">
        {bundle.at && <RelativeTime at={bundle.at} />}
      </td>
    </tr>
  );
}
