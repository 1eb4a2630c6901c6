import '@fontsource-variable/inter/wght.css';
import '@fontsource-variable/jetbrains-mono/wght.css';
import '@mantine/core/styles.css';
import './app/tokens.css';
import './app/layout.css';
import './panels/panels.css';
import { createRoot } from 'react-dom/client';
import { connect, type WorkbenchClient } from './api/client';
import { App } from './app/App';

async function client(): Promise<WorkbenchClient> {
  // Only in development, and never in what is shipped: a server made up in the page.
  if (import.meta.env.DEV && new URLSearchParams(location.search).has('mock')) {
    const { mockClient } = await import('./mock/client');
    return mockClient(new URLSearchParams(location.search).get('mock') ?? '');
  }
  return connect();
}

const page = document.getElementById('page');
if (!page) throw new Error('no place for the page');
createRoot(page).render(<App client={await client()} />);
