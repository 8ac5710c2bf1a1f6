/** The sentences of 003 that its claims are about, word for word. */
import type { Quotes } from '../harness/claim.ts'

const FIG_3 =
  'Testing the proposed new algorithm in its unoptimized way, in which the candidate node needs to wait for all responses from other nodes, showed that a new leader is chosen in an average time of 210 ms, with a minimum of 64 ms and maximum of 851 ms.'
const FIG_4 =
  'Taking into consideration the optimized form of the algorithm as mentioned in section 2.2, the average time was 191 ms, histogram being shown in figure 4.'
const BETTER =
  'The result is slightly better, but in both ways, in 90% of cases, the election finished in about 325 ms at most.'
const AVERAGES =
  'With three consecutive numbers, there were better results; only 22% of nodes generated big numbers in the first 100 ms, with an average of 385 ms.'
const ONE_NUMBER =
  'With only one single number generated, the probability is very high as almost all nodes generated numbers greater than threshold.'

export const QUOTES_003: Quotes = {
  '003-probability': [
    'The probability for one node to generate a random number greater than 0.85 is 0.15.',
    'so the probability will be 0.0225 for two numbers and 0.003375 for three numbers;',
  ],
  '003-launch-one': [ONE_NUMBER],
  '003-launch-two': [
    'Testing the condition based on two consecutive numbers showed that the probability is also high. In the first 100 ms, over 80% of nodes managed to do that.',
  ],
  '003-launch-three': [AVERAGES],
  '003-launch-three-0.9': [
    'To experiment, in 1000 iterations there were generated random numbers, using a counter until the condition is satisfied.',
    'Using a threshold of 0.9, the probability dropped to 8% for the first 100 ms, but this time the average was 1.3 seconds.',
  ],
  '003-launch-four': [
    'Furthermore, considering four consecutive numbers, satisfying condition would took in average over 2 seconds, which is not acceptable.',
  ],
  '003-fig3': [FIG_3],
  '003-fig3-extremes': [FIG_3, 'having at least 500 iterations'],
  '003-fig4': [FIG_4],
  '003-fig4-better': [BETTER],
  '003-p90': [BETTER],
  '003-influence': [
    'It is important to mention that these results are mostly influenced by the time in which the fastest node manages to satisfy the launch condition.',
  ],
  '003-messages': [
    'Having v nodes, there are in total 2v - 1 messages (not taking into consideration final heartbeat messages):',
  ],
  '003-messages-parts': [
    'v-1 messages from the node which generated big numbers;',
    'responses from other nodes;',
    'message from coordinator to leader.',
  ],
  '003-larger-networks': [
    'However, the optimization should have a greater impact in bigger networks.',
  ],
  '003-fig5': [
    'Regarding multiple candidates possibility, in less than 10% of cases there was a split vote, as shown in figure 5.',
  ],
  '003-four-step': [
    'it is necessary to analyze which is the probability as such multiple nodes satisfy the condition.',
    ONE_NUMBER,
  ],
  '003-raft-lowest': [
    'the node with the lowest timeout becomes candidate after the timeout passes and becomes leader when the other nodes vote it, in majority [6].',
  ],
  '003-chance-for-all': [
    'gives a chance to all nodes because the final leader can differ from the candidate',
    'is built in such a way to give a chance to every participant node.',
  ],
  '003-same-chances': [
    'in order to give almost the same chances for all the nodes, we can use a random roulette wheel selection approach, for instance.',
  ],
  '003-leader-differs': [
    'the final leader can differ from the candidate (more exactly, it can differ from the round of vote coordinator, as described next in section 2).',
  ],
  '003-split-against-raft': [
    'Here, when two nodes have (almost) the same timeout, appears the situation of split votes.',
    'In this paper, the proposed algorithm tries to minimize the split votes using a stronger candidate position condition',
  ],
  '003-case-1': [
    'Because A is the only candidate, it will receive positive messages from all other nodes; combining all the numbers received from them it will choose node C as the new leader. In the end, node C will send heartbeat messages to announce its new role.',
  ],
  '003-case-2': [
    'Because node A initially votes for itself, in this moment it has the majority of votes, but it waits to see the responses from other nodes.',
    'it will collect two positive responses (node D votes for B after it voted for A in the first couple of messages).',
    "Next, proposal from node A reach node C, but the latter will give a negative response because it voted later with B's greater value.",
    'Node B sends its proposal message to node A which will vote because its number its lower.',
    'After that, B gets one more positive answer and A one negative. B becomes the coordinator and after it runs the random roulette wheel, node C is chosen as the new leader.',
  ],
  '003-equal-numbers': [
    'Furthermore, it could be a problem if two nodes generate the same big number.',
    'However, if this happens and no coordinator can be selected, the algorithm will continue with another round of vote;',
  ],
  '003-single-coordinator': [
    'To minimize the time a node must wait in order to become coordinator, we may consider that the roulette wheel selection can be started right after the candidate collects the majority of votes (half + 1).',
    'This aproach implies a change in every node behavior because it is mandatory to vote only one time in a round, for the first candidate node. In this way, a single node will be elected as coordinator.',
  ],
  '003-all-the-votes': [
    'only one node must be chosen based on some random condition.',
    'The node which receives all the positive votes will be the coordinator',
    'the candidate verifies the votes and it will become coordinator if it has the majority of them',
  ],
  '003-rule-4': [
    'If one node which satisfies the launch condition has technical problems, it will stop until the problem is resolved, but the algorithm will continue through a new round of voting;',
  ],
  '003-rule-6': [
    'If the coordinator suffers a problem, the algorithm will continue through a new round of vote;',
  ],
  '003-rule-7': [
    'If the node which is chosen to be the new leader suffers a problem right before the coordinator announce it, the coordinator can choose another leader if it does not receive a heartbeat message in a short time;',
  ],
  '003-majority': [
    'Every node knows anytime how many nodes are up. If at one moment of time, the majority can not be satisfied, the system will block until some nodes are recovered.',
  ],
  '003-processes-fig3': [FIG_3, BETTER],
  '003-processes-fig4': [FIG_4, BETTER],
}
