// Quick switching between threads, processes and labels: a menu for each, with what its values
// amount to. What is chosen is a filter like any other.
import { Button, Checkbox, Popover, TextInput, UnstyledButton } from '@mantine/core';
import { memo, useState } from 'react';
import { useClient } from '../api/context';
import { wordsOf } from '../api/errors';
import { useAnswer } from '../api/useAnswer';
import { keyOf } from '../api/visualizer';
import { formatCount, formatShare, formatWithUnit } from '../format/numbers';
import { plural } from '../state/filters';
import { facetIn, toggled, withFacet } from '../state/facets';
import type { Facet } from '../gen/cambium/v1/workbench_pb';
import { useBench } from './bench';

/** From so many values on they can be searched. */
const MANY = 12;

function FacetMenu({ facet }: { facet: Facet }) {
  const bench = useBench();
  const [open, setOpen] = useState(false);
  const [text, setText] = useState('');
  const [trouble, setTrouble] = useState('');
  const client = useClient();
  const { mentions } = facetIn(bench.desk.history.now.filters, facet.field);
  const choose = (chosen: readonly string[]) => bench.change(`show some ${plural(facet.field)}`, (work) => ({ ...work, filters: withFacet(work.filters, facet.field, chosen) }));
  const group = () => {
    setTrouble('');
    client
      .groupBy({ dataSet: bench.dataSet.id, field: facet.field })
      .then(({ dataSet }) => {
        setOpen(false);
        bench.navigate.dataSet(dataSet);
      })
      .catch((error: unknown) => setTrouble(wordsOf(error)));
  };
  const wanted = text.trim().toLowerCase();
  const values = facet.values.filter((v) => v.name.toLowerCase().includes(wanted));
  const whole = Number(facet.whole);
  return (
    <Popover opened={open} onChange={setOpen} position="bottom-start" withinPortal trapFocus shadow="md" width={400} transitionProps={{ duration: 0 }} offset={4}>
      <Popover.Target>
        <Button size="compact-xs" variant="default" aria-haspopup="dialog" aria-expanded={open} onClick={() => setOpen(!open)} title={`Show some ${plural(facet.field)} only`} data-testid={`facet-${facet.field}`}>
          {facet.field} ▾
        </Button>
      </Popover.Target>
      <Popover.Dropdown p={12} aria-label={facet.field}>
        <div className="facet-head">
          <strong>{mentions.length === 0 ? `All ${plural(facet.field)}` : `${formatCount(mentions.length)} of ${formatCount(facet.values.length + Number(facet.others))} ${plural(facet.field)}`}</strong>
          {/* Never disabled: a button that is loses the focus, and the menu its keyboard. */}
          <Button size="compact-xs" variant="default" onClick={() => choose([])}>
            Show all
          </Button>
        </div>
        {facet.values.length > MANY && <TextInput size="xs" mb={8} placeholder="Find one" aria-label={`Find one of the ${plural(facet.field)}`} value={text} onChange={(event) => setText(event.currentTarget.value)} onKeyDown={(event) => event.key !== 'Escape' && event.stopPropagation()} />}
        <ul className="facet-values">
          {values.map((value) => {
            const share = whole > 0 ? Number(value.amount) / whole : 0;
            return (
              <li key={value.mention} style={{ backgroundSize: `${Math.max(0, Math.min(1, share)) * 100}% 100%` }}>
                <Checkbox size="xs" label={value.name === '' ? '(no name)' : value.name} title={value.name} checked={mentions.includes(value.mention)} onChange={() => choose(toggled(mentions, value.mention))} />
                <span className="quiet" title={formatWithUnit(value.amount, facet.unit)}>
                  {formatShare(share)}
                </span>
                <UnstyledButton className="facet-only" onClick={() => choose([value.mention])} aria-label={`Only ${value.name}`}>
                  only
                </UnstyledButton>
              </li>
            );
          })}
        </ul>
        <Button size="compact-xs" variant="default" mt={8} onClick={group} title={`Open it with the ${plural(facet.field)} as the outermost callers`} data-testid={`group-${facet.field}`}>
          Group the tree by {facet.field}
        </Button>
        {trouble !== '' && <p className="error facet-foot" role="alert">{trouble}</p>}
        {values.length === 0 && <p className="quiet">None is called so.</p>}
        {(facet.others > 0n || facet.without !== 0n) && (
          <p className="quiet facet-foot">
            {facet.others > 0n && `${formatCount(facet.others)} smaller ones are not listed. `}
            {facet.without !== 0n && `${formatShare(whole > 0 ? Number(facet.without) / whole : 0)} has none.`}
          </p>
        )}
      </Popover.Dropdown>
    </Popover>
  );
}

export const FacetMenus = memo(function FacetMenus() {
  const { dataSet, address } = useBench();
  const question = { dataSet: dataSet.id, metric: address.metric };
  const { answer } = useAnswer(dataSet.contexts > 0n ? keyOf(question) : '', (client, signal) => client.listFacets(question, { signal }));
  return answer?.facets.map((facet) => <FacetMenu key={facet.field} facet={facet} />);
});
