/** What a tab shows now: asked for while somebody looks, kept when the page stops answering, and said to be so. */
import { type Looked, pictureNote, tabName } from "../../model/browse/browse-words.ts";
import { Panel } from "../../parts/page.tsx";
import { StateWord } from "../../parts/state-word.tsx";
import { EmptyNote, FaultNote } from "../../parts/states.tsx";
import { usePicture } from "./browse-queries.ts";

export function LivePicture({ workspace, looked }: { workspace: string; looked: Looked | undefined }) {
  return (
    <Panel title="Page">
      {looked ? (
        <Picture workspace={workspace} looked={looked} />
      ) : (
        <EmptyNote title="No open tabs" command="devflow browse goto http://localhost:3000" />
      )}
    </Panel>
  );
}

function Picture({ workspace, looked: { session, tab } }: { workspace: string; looked: Looked }) {
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
