/** Renders parsed Markdown. All text becomes text nodes, so nothing in it can run. */
import { useMemo } from "react";
import { type Block, parseMarkdown, type Span } from "../model/runs/markdown.ts";

export function Markdown({ text }: { text: string }) {
  const blocks = useMemo(() => parseMarkdown(text), [text]);
  return (
    <div className="grid min-w-0 gap-3 break-words *:min-w-0">
      {blocks.map((block, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: blocks are identified by their position
        <BlockView key={index} block={block} />
      ))}
    </div>
  );
}

const indents = ["", "ml-5", "ml-10", "ml-15", "ml-20"];

function BlockView({ block }: { block: Block }) {
  switch (block.is) {
    case "heading":
      // The page has its own h1, so headings of a text start at h3.
      return block.level <= 2 ? (
        <h3 className={`${block.level === 1 ? "text-title" : "mt-3 text-body"}`}>
          <Spans spans={block.spans} />
        </h3>
      ) : (
        <h4 className="font-semibold">
          <Spans spans={block.spans} />
        </h4>
      );
    case "paragraph":
      return (
        <p className="max-w-[80ch] whitespace-pre-line">
          <Spans spans={block.spans} />
        </p>
      );
    case "quote":
      return (
        <blockquote className="max-w-[80ch] border-l-2 border-line-strong pl-3 whitespace-pre-line text-ink-soft">
          <Spans spans={block.spans} />
        </blockquote>
      );
    case "code":
      return (
        <pre
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
          tabIndex={0}
          className="overflow-x-auto rounded-small border border-line bg-sunken p-3 font-mono text-meta"
        >
          {block.text}
        </pre>
      );
    case "rule":
      return <hr className="border-line" />;
    case "table":
      return <Grid head={block.head} rows={block.rows} />;
    case "list": {
      const items = block.items.map((item, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: as above
        <li key={index} className={indents[item.depth]}>
          <Spans spans={item.spans} />
        </li>
      ));
      return block.ordered ? (
        <ol className="grid max-w-[80ch] list-decimal gap-1 pl-5">{items}</ol>
      ) : (
        <ul className="grid max-w-[80ch] list-disc gap-1 pl-5">{items}</ul>
      );
    }
  }
}

function Grid({ head, rows }: Pick<Extract<Block, { is: "table" }>, "head" | "rows">) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
    // biome-ignore lint/a11y/useSemanticElements: a group of one table
    <div role="group" aria-label="Table" tabIndex={0} className="overflow-x-auto rounded-small border border-line">
      <table className="w-full border-collapse text-left">
        <thead className="bg-sunken text-meta text-ink-soft">
          <tr>
            {head.map((cell, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: as above
              <th key={index} scope="col" className="px-3 py-1 font-normal">
                <Spans spans={cell} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {rows.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: as above
            <tr key={index}>
              {row.map((cell, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: as above
                <td key={at} className="px-3 py-1 align-top">
                  <Spans spans={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Spans({ spans }: { spans: readonly Span[] }) {
  // biome-ignore lint/suspicious/noArrayIndexKey: as above
  return spans.map((span, index) => <SpanView key={index} span={span} />);
}

function SpanView({ span }: { span: Span }) {
  switch (span.is) {
    case "text":
      return span.text;
    case "code":
      return <code className="rounded-small bg-sunken px-1 font-mono text-meta">{span.text}</code>;
    case "strong":
      return <strong>{span.text}</strong>;
    case "em":
      return <em>{span.text}</em>;
  }
}
