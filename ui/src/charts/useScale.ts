// How much larger charts of events are drawn on a screen that is not scaled itself, as the
// page's own text is there (layout.css). They are laid out for fewer, larger pixels.
import { useMediaQuery } from '@mantine/hooks';

const LARGE = 1.4;

export function useScale(): number {
  return useMediaQuery('(min-width: 3000px)', matchMedia('(min-width: 3000px)').matches, { getInitialValueInEffect: false }) ? LARGE : 1;
}
