// Hands the client to every part of the page.
import { createContext, useContext } from 'react';
import type { WorkbenchClient } from './client';

export const ClientContext = createContext<WorkbenchClient | undefined>(undefined);

export function useClient(): WorkbenchClient {
  const client = useContext(ClientContext);
  if (!client) throw new Error('no client');
  return client;
}
