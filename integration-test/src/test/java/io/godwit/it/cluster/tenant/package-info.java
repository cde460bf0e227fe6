/** Tenants of packaged brokers that are one cluster: what keeps them apart, and their quotas over all nodes. */
@NullMarked
package io.godwit.it.cluster.tenant;

import org.jspecify.annotations.NullMarked;
