// A dialog with its own heading: Mantine's header would be a second banner of the page.
import { CloseButton, Modal } from '@mantine/core';
import type { ReactNode } from 'react';

export function Dialog({ title, wide = false, opened, onClose, children }: { title: string; wide?: boolean; opened: boolean; onClose: () => void; children: ReactNode }) {
  return (
    <Modal opened={opened} onClose={onClose} withCloseButton={false} size={wide ? 1080 : 'lg'} transitionProps={{ duration: 0 }} attributes={{ content: { 'aria-label': title } }}>
      <div className="dialog-head">
        <h2>{title}</h2>
        <CloseButton aria-label="Close" title="Close (Esc)" onClick={onClose} />
      </div>
      {children}
    </Modal>
  );
}
