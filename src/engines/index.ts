/**
 * The public entry `bellwether/engines`: exports the engines that can arbitrate, and their errors. None loads its
 * client before it is used.
 */
export {
  EngineError,
  MissingClientError,
  type Claim,
  type Engine,
  type Register,
  type Watcher,
} from './engine.ts'
export { etcd, type EtcdOptions } from './etcd.ts'
export { kubernetes, type KubernetesOptions } from './kubernetes.ts'
export { memory, MemoryEngine, MemoryRegisters } from './memory.ts'
export { mysql, type MysqlOptions } from './mysql.ts'
export { nats, type NatsOptions } from './nats.ts'
export { postgres, type PgClient, type PgPool, type PostgresOptions } from './postgres.ts'
export { redis, type RedisOptions } from './redis.ts'
