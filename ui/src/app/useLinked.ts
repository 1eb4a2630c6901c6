// What is done with the selection, and undoing: the same from the bar, the keys and the palette.
import { useMemo, useState } from 'react';
import { deskOf, doWork, redoWork, undoWork, type Desk } from '../state/desks';
import { exclusion, inWords } from '../state/filters';
import { useStore } from '../state/hover';
import { deeds, lastDeed, nextDeed, redoLevels, undoLevels } from '../state/levels';
import { freeColour } from '../state/palette';
import { useAddress } from '../state/useAddress';
import { withFilter, withGroup, type Work } from '../state/work';

/** The longest name that a group is given by itself. */
const NAME = 40;

export function useLinked(dataSet: string, desk: Desk | undefined) {
  const [fresh, setFresh] = useState<number>();
  const does = useMemo(() => {
    const withSelection = (what: string, next: (work: Work, selection: string) => Work) => doWork(dataSet, what, (work) => (work.selection === '' ? work : next(work, work.selection)));
    return {
      // What is filtered to is all there is: to emphasize all of it says nothing.
      filterTo: () => withSelection('filter to the selection', (work, selection) => ({ ...withFilter(work, selection), selection: '' })),
      exclude: () => withSelection('exclude the selection', (work, selection) => ({ ...withFilter(work, exclusion(selection)), selection: '' })),
      colour: () => {
        const work = deskOf(dataSet)?.history.now;
        if (!work || work.selection === '') return;
        const words = inWords(work.selection);
        const name = words.length > NAME ? `${words.slice(0, NAME - 1)}…` : words;
        setFresh(work.groups.length);
        withSelection('colour the selection', (now, selection) => ({ ...withGroup(now, { name, colour: freeColour(now.groups.map((g) => g.colour)), filter: selection, hidden: false }), selection: '' }));
      },
      clear: () => withSelection('clear the selection', (work) => ({ ...work, selection: '' })),
      undo: () => void (undoLevels(dataSet) || undoWork(dataSet)),
      redo: () => void (redoLevels(dataSet) || redoWork(dataSet)),
      onNamed: () => setFresh(undefined),
    };
  }, [dataSet]);
  const { steps } = useAddress();
  const done = useStore(deeds);
  const past = desk?.history.past ?? [];
  return {
    ...does,
    fresh,
    selection: desk?.history.now.selection ?? '',
    undoable: lastDeed(done, dataSet, steps, past.length)?.what ?? past.at(-1)?.what ?? '',
    redoable: nextDeed(done, dataSet, steps)?.what ?? desk?.history.future.at(-1)?.what ?? '',
  };
}
