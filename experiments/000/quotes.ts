/** The sentences and equations of 000 that its claims are about, word for word. */
import type { Quotes } from '../harness/claim.ts'

/** Of a process that waits. */
const LEFT_ALONE = [
  'When a process notices that the coordinator is no longer responding to requests, it initiates an election.',
  "If one of the higher-ups answers, it takes over. P's job is done.",
]

export const QUOTES_000: Quotes = {
  '000-eq3.2': [
    'A node responds to all messages within T_p seconds of their delivery. Thus, formula (3.2) describes the average response time from a node.',
    'T_e = 2 T_m + T_p',
  ],
  '000-eq3.3': [
    'Following formula describes the total processing time in Bully algorithm of Garcia-Molina.',
    'T_GM = (k-1) * T_o + [(N_f - k + 1) * T_o + (N - N_f) * T_e] = N_f * T_o + (N - N_f) * T_e',
  ],
  '000-eq3.3-superiors': [
    'The term ((k-1) * T_0) in formula (3.3) describes the time taken when node k detects that all nodes with higher-priority are crash failed.',
    'It is the time required on transiting from the state Elec₁ to Elec₂.',
  ],
  '000-eq3.3-juniors': [
    "The term [(N_f - k + 1) * T_0 + (N - N_f) * T_c] describes the time taken on the node k's checking whether the nodes with lower-priority are crashed or not.",
    'It is the time taken on transiting from the state Elec₁ to Norm.',
  ],
  '000-eq3.4': [
    'In the same way, total time taken from start leader election to finish it on executing the Bully_FD algorithm is formulated in formula (3.4).',
    'T_BULLY_FD = 2 * N * T_s + (p * N_f * T_p + (1 - p) * N_f * T_0) + (N - N_f) * T_c',
  ],
  '000-eq3.4-signals': [
    'Consequently, the term 2 * N * T_s is the total time taken to transmit messages between node k and the FD as one of signal forms.',
  ],
  '000-eq3.4-known': [
    'The term (p * N_f * T_p + (1 - p) * N_f * T_0) means the time taken for FD to detect the failure of each node',
    'Average message handling time of a node',
    'Consequently, the term 2 * N * T_s is the total time taken to transmit messages between node k and the FD as one of signal forms.',
  ],
  '000-eq3.5': [
    'the formula (3.5) is induced as below which describes the difference of processing time between Garcia-Molina Bully algorithm and Bully_FD algorithm.',
    'T_d = (3.3) - (3.4) = p * N_f * (T_0 - T_p) - 2 * N * T_s ≈ p * N_f * (T_0 - T_p)',
  ],
  '000-eq3.5-negligible': [
    'In the formula (3.5), the value of 2 * N * T_s is small enough to be negligible.',
    'The message exchanges between them are executed almost concurrently rather than sequentially.',
  ],
  '000-eq3.5-ratio': [
    'T_d = (3.3) - (3.4) = p * N_f * (T_0 - T_p) - 2 * N * T_s ≈ p * N_f * (T_0 - T_p)',
  ],
  '000-faster': [
    'In the same way, total time taken from start leader election to finish it on executing the Bully_FD algorithm is formulated in formula (3.4).',
    'Definitely (T_0 - T_p) > 0 is true and p * N_f * (T_0 - T_p) > 0 is also true. Thus, we can make sure that Bully_FD algorithm is faster than Garcia-Molina Bully algorithm in processing time.',
  ],
  '000-concurrent': [
    'Second, by checking crashes of other nodes concurrently rather than sequentially, execution time of the modified Bully algorithm using failure detector is faster than the classic Bully algorithm.',
    'In stage 1 of an election, each node checks concurrently rather than sequentially whether the nodes with lower priorities is operational.',
  ],
  '000-many-failures': [
    'Especially, in the distributed system where many nodes are connected and crash failures occur at many nodes repeatedly, the execution time of the modified Bully algorithm with failure detector is much more efficient than the classic Bully algorithm.',
  ],
  '000-frequent-failures': [
    "But in the system where large number of nodes are connected as a group and each node's crash failures are frequent, the execution speed for the algorithm will be slow.",
  ],
  '000-heartbeat-messages': [
    'the simplest implementation of failure detector is to send the "Are You Alive?" message to each node being monitored periodically.',
    'A more slightly complicated approach is for each node i , when it starts monitoring node j , to tell node j to periodically send "I\'m alive" message to node i . This uses fewer messages',
  ],
  '000-heartbeat-latency': [
    'A more slightly complicated approach is for each node i , when it starts monitoring node j , to tell node j to periodically send "I\'m alive" message to node i . This uses fewer messages and reduces the latency of the FD.',
  ],
  '000-token-messages': [
    'A more complicate approach, based on an attendance list [1][2], is to construct logical ring and periodically circulates a token around it.',
    'With this approach, fewer messages will be used if multiple nodes are being monitored by multiple nodes, though at the expense of increased detection latency.',
  ],
  '000-token-latency': [
    'A more complicate approach, based on an attendance list [1][2], is to construct logical ring and periodically circulates a token around it.',
    'With this approach, fewer messages will be used if multiple nodes are being monitored by multiple nodes, though at the expense of increased detection latency.',
  ],
  '000-down-list': [
    'If the node i is in the down_list, FD informs the client that the node i is down by raising the signal <DownSig, i>.',
    "By managing the information about crashed nodes as a form of the down node list, the FD can send the information about crashed nodes to the client more promptly than the Garcia-Molina's one can.",
  ],
  '000-fd-up-to-date': [
    'When the crashed node recovers again, it sends to the FD on each node immediately the message informing that it has recovered.',
    'If the node i is in the down_list, FD informs the client that the node i is down by raising the signal <DownSig, i>.',
    'Furthermore, to ensure that the FD reports up-to-date information, we require that the client receives <DownSig, i> only if node i is down after the most recent invocation of Request_FD(i).',
  ],
  '000-bully-stable': [
    "The Bully algorithm, which is Garcia-Molina's leader election algorithm for synchronous distributed system, shows that all the nodes in a group can reach a stable state in which every not crashed node agrees to only one leader.",
    ...LEFT_ALONE,
  ],
  '000-bully-one-winner': [
    'Eventually, all processes give up but one, and that one is the new coordinator. It announces its victory by sending all processes a message telling them that it is the new coordinator.',
  ],
  '000-bully-biggest': [
    'If a process that was previously down comes back up, it holds an election. If it happens to be the highest-numbered process currently running, it will win the election and take over the coordinator\'s job. Thus the biggest guy in town always wins, hence the name "bully algorithm".',
  ],
  '000-bully-worst': [
    'At the worst case, the system may not reach for a long time to the stable state in which every not crashed node agrees only one leader.',
    'Repetitions of crash failures of nodes with high priority continue to have the system be in the state of the leader election',
    ...LEFT_ALONE,
  ],
  '000-modular': [
    'First, the modularity facilitates use of different failure detection mechanism in different systems.',
    'As another advantage, FD is a module so that modularity facilitates use of different failure detection mechanism in different systems.',
  ],
  '000-wait-restarts': [
    'If a node on Wait state detects the failure of the node which halted it by receiving <DownSig, i> from FD, it switches its status from Wait to Elec₁ and restarts the election.',
  ],
  '000-stays-in-wait': [
    'If some of them are operational, node i stays on the Wait state in order to give those higher-priority nodes a chance to become the leader.',
  ],
  '000-recovered-waits': [
    'If some of them are operational, node i stays on the Wait state in order to give those higher-priority nodes a chance to become the leader. If it is recovered from the Dead state, it waits for the message <Norm?, t> asking the state of recovered node from the leader.',
  ],
  '000-notnorm-reelects': [
    'The leader which has received message <NotNorm, t> switches its state to Elec₁, and then it does the leader election process again.',
  ],
  '000-ids-ack': [
    "If the ack or ldr which doesn't contain the expected identifier arrives, the message is ignored.",
  ],
  '000-ids-ldr': [
    "If the ack or ldr which doesn't contain the expected identifier arrives, the message is ignored.",
  ],
  '000-ids-sequence': [
    "An identification tag is a tuple which contains the identifier of the node which starts the election, the node's incarnation number which is kept on stable storage and incremented on each recovery after failure, and a sequence number of election which is incremented for each election.",
  ],
}
