/**
 * Where ranges live and when they are cut: what a balancing plugin implements.
 *
 * <p>A <em>key space</em> is what the configuration calls {@code dist}, {@code inbox} or {@code retain}. It is cut into
 * <em>ranges</em>, each kept by a few replicas of one Raft group. A <em>store</em> is the share that one node has of
 * it, named by the store id of the node. The <em>epoch</em> of a range rises with every split, merge and change of its
 * replicas.
 *
 * <p>Every node asks its {@link io.godwit.plugin.balance.RangeBalancer balancers}, in the order of the configuration,
 * for the ranges that it leads. A {@link io.godwit.plugin.balance.SplitHinter} watches the load of one range and says
 * where to cut it.
 */
@NullMarked
package io.godwit.plugin.balance;

import org.jspecify.annotations.NullMarked;
