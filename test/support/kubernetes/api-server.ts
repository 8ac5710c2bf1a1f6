/**
 * A real API server of Kubernetes that the environment names, as the conformance suite of engines needs it: behind a proxy
 * that ends and stalls connections, since the server itself is not this suite's to kill. `KUBERNETES_API` is
 * `http://127.0.0.1:8001` of `kubectl proxy`, or an https URL whose certificate names 127.0.0.1 too; `KUBERNETES_NAMESPACE`
 * a namespace made for this suite, which deletes all its Leases; `KUBERNETES_TOKEN_FILE` and `KUBERNETES_CA_FILE` as for
 * the engine.
 */
import { kubernetes, type Engine } from '../../../src/engines/index.ts'
import { KubernetesApi, type KubernetesApiOptions } from '../../../src/engines/kubernetes-api.ts'
import { FaultProxy } from '../../../src/testing/index.ts'

interface Access extends KubernetesApiOptions {
  readonly server: string
  readonly namespace: string
}

function accessOf(environment: NodeJS.ProcessEnv): Access | null {
  const {
    KUBERNETES_API: server,
    KUBERNETES_NAMESPACE: namespace,
    KUBERNETES_TOKEN_FILE: tokenFile,
    KUBERNETES_CA_FILE: caFile,
  } = environment
  if (server === undefined) {
    process.stderr.write(
      '\n*** NOT TESTED: the engine kubernetes, on a real API server. KUBERNETES_API names none. ***\n',
    )
    return null
  }
  if (namespace === undefined) {
    throw new Error('KUBERNETES_NAMESPACE is missing: a namespace whose Leases may all be deleted')
  }
  return { server, namespace, ...(tokenFile && { tokenFile }), ...(caFile && { caFile }) }
}

export const KUBERNETES = accessOf(process.env)

export class KubernetesServer {
  private readonly access: Access
  private readonly proxy: FaultProxy

  private constructor(access: Access, proxy: FaultProxy) {
    this.access = access
    this.proxy = proxy
  }

  static async open(access: Access): Promise<KubernetesServer> {
    const { host } = new URL(access.server)
    const made = new KubernetesServer(access, await FaultProxy.open(host, { framed: false }))
    await made.deleteLeases()
    return made
  }

  engine(): Engine {
    const url = new URL(this.access.server)
    url.host = this.proxy.address
    return kubernetes({ ...this.access, server: url.href })
  }

  kill(): void {
    this.proxy.refuse()
    this.proxy.sever()
  }

  async start(): Promise<void> {
    await this.proxy.listen()
  }

  pause(): void {
    this.proxy.there.set({ cut: true })
    this.proxy.back.set({ cut: true })
  }

  resume(): void {
    this.proxy.heal()
    this.proxy.sever() // bytes are missing
  }

  async restart(kept: 'kept' | 'empty'): Promise<void> {
    this.kill()
    if (kept === 'empty') await this.deleteLeases()
    await this.start()
  }

  async close(): Promise<void> {
    await this.deleteLeases()
    await this.proxy.close()
  }

  private async deleteLeases(): Promise<void> {
    const api = new KubernetesApi(this.access)
    const path = `/apis/coordination.k8s.io/v1/namespaces/${api.namespace}/leases`
    await api.call('DELETE', path, AbortSignal.timeout(10_000))
    api.close()
  }
}
