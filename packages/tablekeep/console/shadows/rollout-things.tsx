import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { useAnswer } from "../api/use-answer.ts";
import { AnswerView } from "../parts/answer-view.tsx";
import { counted } from "../parts/show-values.ts";
import { placeOf } from "../shell/route.ts";
import { countsByWave, StatusBadge } from "./rollout-facts.tsx";
import { fetchThings, type Rollout, type RolloutThing } from "./rollouts-api.ts";

export interface RolloutThingsProps {
  readonly rollout: Rollout;
  /** Another number each time that the rollout was read. */
  readonly round: number;
}

/** Pages that are read again with the rollout; more of them only when its phase or wave changes. */
const livePages = 2;

/** The things of a rollout, with their states. */
export function RolloutThings({ rollout, round }: RolloutThingsProps): VNode {
  const { name, phase, wave, waves, shadow } = rollout;
  const [pages, setPages] = useState(1);
  const [status, setStatus] = useState("");
  const answer = useAnswer(
    (signal) => fetchThings(name, pages, signal),
    [name, pages, pages > livePages ? `${phase} ${wave}` : round],
  );
  if (phase === "preparing") return <p class="dim">The things are being chosen.</p>;
  const total = waves.reduce<number>((sum, size) => sum + Number(size), 0);
  return (
    <AnswerView answer={answer}>
      {({ things, isComplete }) => (
        <>
          <h2>Waves</h2>
          <WaveTable things={things} waves={waves} />
          {!isComplete && (
            <p class="dim">
              Of the first {things.length.toLocaleString()} of {counted(total, "thing")}.
            </p>
          )}
          <div class="rollout-head">
            <h2>Things</h2>
            <StatusChoice things={things} chosen={status} onChoose={setStatus} />
          </div>
          {things.length === 0 ? (
            <p class="dim">No shadow matched the query.</p>
          ) : (
            <ThingTable
              shadow={shadow}
              things={things.filter((thing) => status === "" || thing.status === status)}
            />
          )}
          {!isComplete && (
            <button type="button" onClick={() => setPages(pages + 1)}>
              Show more things
            </button>
          )}
        </>
      )}
    </AnswerView>
  );
}

function WaveTable({ things, waves }: { readonly things: readonly RolloutThing[] } & Pick<Rollout, "waves">) {
  const counts = countsByWave(things);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys
    <div class="rollout-table" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th>Wave</th>
            <th>Things</th>
            <th>Status</th>
          </tr>
        </thead>
        <tbody>
          {waves.map((size, at) => (
            <tr key={`${at}`}>
              <td>{at + 1}</td>
              <td>{Number(size).toLocaleString()}</td>
              <td>
                {[...(counts.get(at + 1) ?? [])]
                  .map(([status, count]) => `${count.toLocaleString()} ${status}`)
                  .join(", ")}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface StatusChoiceProps {
  readonly things: readonly RolloutThing[];
  readonly chosen: string;
  readonly onChoose: (status: string) => void;
}

function StatusChoice({ things, chosen, onChoose }: StatusChoiceProps): VNode {
  const known = new Set(things.map(({ status }) => status));
  if (chosen !== "") known.add(chosen);
  return (
    <select
      aria-label="Status"
      value={chosen}
      onChange={({ currentTarget }) => onChoose(currentTarget.value)}
    >
      <option value="">All</option>
      {[...known].sort().map((status) => (
        <option key={status}>{status}</option>
      ))}
    </select>
  );
}

interface ThingTableProps {
  readonly things: readonly RolloutThing[];
  /** The name of their shadows. */
  readonly shadow: string;
}

function ThingTable({ things, shadow }: ThingTableProps): VNode {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys
    <div class="rollout-table" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th>Thing</th>
            <th>Wave</th>
            <th>Status</th>
            <th>Reason</th>
          </tr>
        </thead>
        <tbody>
          {things.map(({ thing, wave, status, reason }) => (
            <tr key={thing}>
              <td>
                <a href={placeOf(["shadows", thing], { name: shadow })}>
                  <bdi>{thing}</bdi>
                </a>
              </td>
              <td>{wave}</td>
              <td>
                <StatusBadge status={status} />
              </td>
              <td>{reason}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
