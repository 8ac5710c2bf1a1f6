/** Starts an HTTP server on a free port of loopback: the resource that members write to in campaigns. */
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface HttpResource {
  readonly url: string
  close(): Promise<void>
}

export async function openResource(answer: RequestListener): Promise<HttpResource> {
  const server = createServer((request, response) => {
    request.resume()
    answer(request, response)
  })
  // A member that is stopped for long finds its connection open when it resumes: its write is judged, not lost.
  server.keepAliveTimeout = 0
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections()
      await once(server.close(), 'close')
    },
  }
}
