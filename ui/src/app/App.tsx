import { MantineProvider } from '@mantine/core';
import { useColorScheme } from '@mantine/hooks';
import type { WorkbenchClient } from '../api/client';
import { ClientContext } from '../api/context';
import { usePreferences } from '../state/preferences';
import { useAddress } from '../state/useAddress';
import { theme } from './theme';
import { Workbench } from './Workbench';

/** The whole page: the client, the theme and the workbench. */
export function App({ client }: { client: WorkbenchClient }) {
  const address = useAddress();
  const system = useColorScheme('light', { getInitialValueInEffect: false });
  const { theme: preferred } = usePreferences();
  const scheme = address.theme || preferred || system;
  return (
    <ClientContext.Provider value={client}>
      <MantineProvider theme={theme} forceColorScheme={scheme}>
        <Workbench scheme={scheme} />
      </MantineProvider>
    </ClientContext.Provider>
  );
}
