// Sends a file to the server.

/** The server's answer in its own words. */
function answerOf(status: number, text: string): string {
  let answer: { data_set?: string; error?: string } = {};
  try {
    answer = JSON.parse(text) as typeof answer;
  } catch {
    // Not JSON: the text is all there is.
  }
  if (status < 200 || status > 299 || !answer.data_set) {
    throw new Error(answer.error ?? (text.trim().slice(0, 500) || `The server answered ${status}.`));
  }
  return answer.data_set;
}

/**
 * Returns the id of the new data set; throws an error in the server's words. onSent is told
 * which share is sent. (XMLHttpRequest, because fetch does not tell.)
 */
export function upload(file: File, signal: AbortSignal, onSent: (share: number) => void): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const abort = () => request.abort();
    request.upload.onprogress = ({ loaded, total }) => onSent(total > 0 ? Math.min(1, loaded / total) : 0);
    request.onload = () => {
      try {
        resolve(answerOf(request.status, request.responseText));
      } catch (error) {
        reject(error);
      }
    };
    request.onerror = () => reject(new Error('The connection to cambium broke off.'));
    request.onabort = () => reject(new DOMException('cancelled', 'AbortError'));
    request.onloadend = () => signal.removeEventListener('abort', abort);
    request.open('POST', new URL(`upload?name=${encodeURIComponent(file.name)}`, document.baseURI));
    signal.addEventListener('abort', abort);
    request.send(file);
  });
}
