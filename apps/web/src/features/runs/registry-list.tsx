/** A list of templates or personas, filtered and sorted by the URL. */
import type { UseQueryResult } from "@tanstack/react-query";
import { parseOrder } from "../../model/table-order.ts";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { EmptyNote, FaultNote, SkeletonRows } from "../../parts/states.tsx";
import { DefinitionFaults } from "./definition-faults.tsx";
import { FilterField } from "./filter-field.tsx";

interface RegistrySearch {
  readonly q?: string | undefined;
  readonly sort?: string | undefined;
}

interface RegistryListProps<Row> {
  /** "Templates". */
  readonly title: string;
  /** "No template yet". */
  readonly empty: string;
  readonly query: UseQueryResult<readonly Row[], Error>;
  readonly columns: readonly Column<Row>[];
  readonly search: RegistrySearch;
  readonly onSearch: (change: RegistrySearch) => void;
}

export function RegistryList<Row extends { readonly hash: string }>(props: RegistryListProps<Row>) {
  const { title, query, columns, search, onSearch } = props;
  const { q = "", sort } = search;
  return (
    <>
      <DefinitionFaults />
      <FilterField label={`Filter ${title.toLowerCase()}`} value={q} onChange={(next) => onSearch({ q: next })} />
      <div className="overflow-hidden rounded-panel border border-line bg-raised">
        {query.isPending && <SkeletonRows count={6} />}
        {query.isError && <FaultNote fault={query.error} onRetry={() => void query.refetch()} />}
        {query.data?.length === 0 && <EmptyNote title={props.empty} command="devflow template seed" />}
        {query.data && query.data.length > 0 && (
          <DataTable
            caption={title}
            rows={query.data}
            columns={columns}
            keyOf={(row) => row.hash}
            order={parseOrder(sort, "name")}
            query={q}
            onSort={(next) => onSearch({ sort: next })}
          />
        )}
      </div>
    </>
  );
}
