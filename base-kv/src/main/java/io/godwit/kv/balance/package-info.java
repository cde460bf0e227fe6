/**
 * Where ranges live, when they are cut and joined.
 *
 * <p>Every node runs a {@link io.godwit.kv.balance.BalanceLoop} for each key space. Once a second it looks at what it
 * knows of the cluster and asks its balancers, in order of urgency, for one action on a range that it leads; whoever
 * leads a range carries the action out, so nobody has to be elected to decide. The shipped balancers are functions of
 * the view:
 *
 * <ol>
 *   <li>{@code replica-count}: as many voters as configured, in different zones; replaces what is gone for good
 *   <li>{@code drain}: leaders and replicas off a store that is to go
 *   <li>{@code split}: ranges that have too much to do, or are too large
 *   <li>{@code merge}: neighbours that have been cold and small for long
 *   <li>{@code leader-spread}, {@code range-spread}: work and bytes shared by cores and disks
 * </ol>
 *
 * <p>They come to rest because each step of spreading lowers the higher of two loads by a margin, a merged range is far
 * from being split, and a range rests for a while after each change. A voter is exchanged in three steps (add, promote,
 * remove), and which step is next is read off the replicas the range has: a new leader, or a restarted node, goes on
 * where another stopped. Nothing is moved while a store is away that may be back at any moment.
 */
@NullMarked
package io.godwit.kv.balance;

import org.jspecify.annotations.NullMarked;
