/**
 * Where replicas and leaders are placed, and when ranges are split and merged.
 *
 * <p>Every node runs a {@link io.godwit.kv.balance.BalanceLoop} for each key space. Once a second the loop takes its
 * view of the cluster and asks its balancers, in order of urgency, for one action on a range that this node leads. The
 * leader of a range carries out its actions, so no coordinator has to be elected. The shipped balancers are functions
 * of the view:
 *
 * <ol>
 *   <li>{@code replica-count}: keeps the configured number of voters, in different zones; replaces lost ones
 *   <li>{@code drain}: moves leaders and replicas off a draining store
 *   <li>{@code split}: splits ranges with too much load or too many bytes
 *   <li>{@code merge}: merges neighbours that have been cold and small for a long time
 *   <li>{@code leader-spread}, {@code range-spread}: share work and bytes among cores and disks
 * </ol>
 *
 * <p>The actions come to an end: each step of spreading lowers the higher of two loads by a margin, a merged range is
 * far below the split limits, and a range rests for a while after each change. A voter is exchanged in three steps
 * (add, promote, remove). The next step follows from the present replicas, so a new leader or a restarted node
 * continues an exchange. Nothing is moved while a store is away that may soon be back.
 */
@NullMarked
package io.godwit.kv.balance;

import org.jspecify.annotations.NullMarked;
