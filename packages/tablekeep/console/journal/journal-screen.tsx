import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { useAnswer } from "../api/use-answer.ts";
import { AnswerView } from "../parts/answer-view.tsx";
import { EmptyState, JournalNotFound } from "../parts/empty-state.tsx";
import type { Route } from "../shell/route.ts";
import { IdsView } from "./ids-view.tsx";
import { fetchJournals } from "./journal-api.ts";
import { OneIdView } from "./one-id-view.tsx";
import "./journal.css";

/** Journals: their ids, and of one id its events and snapshots. */
export function JournalScreen({ route }: { readonly route: Route }): VNode {
  const [name, id, kind, number] = route.path;
  // Programs may create a journal at any time.
  const [round, setRound] = useState(0);
  const journals = useAnswer(fetchJournals, ["journals", name, round]);
  return (
    <AnswerView answer={journals}>
      {(known) => {
        const chosen = name === undefined ? known[0] : known.find((each) => each.name === name);
        if (chosen === undefined)
          return name === undefined || known.length === 0 ? (
            <NoJournal />
          ) : (
            <JournalNotFound name={name} screen="journal" />
          );
        if (id === undefined)
          return (
            <IdsView journals={known} chosen={chosen} route={route} onRefresh={() => setRound(round + 1)} />
          );
        return (
          <OneIdView
            key={`${chosen.name} ${id}`}
            facts={chosen}
            id={id}
            kind={kind === "snapshots" ? "snapshots" : "events"}
            number={number === undefined || !/^\d+$/.test(number) ? undefined : Number(number)}
            query={route.query}
          />
        );
      }}
    </AnswerView>
  );
}

function NoJournal(): VNode {
  return (
    <EmptyState title="Journals are disabled on this server" commands={["npx tablekeep serve"]}>
      <p>By default a server has a journal named “journal”.</p>
    </EmptyState>
  );
}
