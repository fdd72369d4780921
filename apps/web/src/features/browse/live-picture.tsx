/** The live picture of a tab. If the page stops responding, the last picture stays and is marked as old. */
import { pictureNote, type ShownTab, tabName } from "../../model/browse/browse-words.ts";
import { Panel } from "../../parts/page.tsx";
import { StateWord } from "../../parts/state-word.tsx";
import { EmptyNote, FaultNote } from "../../parts/states.tsx";
import { usePicture } from "./browse-queries.ts";

export function LivePicture({ workspace, shown }: { workspace: string; shown: ShownTab | undefined }) {
  return (
    <Panel title="Page">
      {shown ? (
        <Picture workspace={workspace} shown={shown} />
      ) : (
        <EmptyNote title="No open tabs" command="devflow browse goto http://localhost:3000" />
      )}
    </Panel>
  );
}

function Picture({ workspace, shown: { session, tab } }: { workspace: string; shown: ShownTab }) {
  const { data, error, refetch } = usePicture({ workspace, session: session.name, tab: tab.id });
  const note = pictureNote(data);
  return (
    <figure className="m-0">
      <div className="grid min-h-10 gap-x-4 border-b border-line px-4 py-2">
        <span className="truncate font-medium">{tabName(tab)}</span>
        <span className="truncate font-mono text-meta text-ink-soft" title={tab.url}>
          {tab.url}
        </span>
      </div>
      <div className="grid aspect-[16/10] place-items-center overflow-hidden bg-sunken">
        {data?.jpeg && (
          <img
            src={`data:image/jpeg;base64,${data.jpeg}`}
            alt={`What ${tab.id} of session ${session.name} shows`}
            data-picture={data.state}
            className="size-full object-contain object-top"
          />
        )}
      </div>
      <figcaption className="border-t border-line px-4 py-2 text-meta text-ink-soft">
        <span role="status" className="flex min-h-5 flex-wrap items-center gap-x-2">
          <StateWord word={note.word} tone={note.tone} />
          <span>{note.detail}</span>
        </span>
      </figcaption>
      {error && <FaultNote fault={error} onRetry={() => void refetch()} />}
    </figure>
  );
}
