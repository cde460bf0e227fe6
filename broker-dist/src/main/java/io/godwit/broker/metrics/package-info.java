/**
 * What the broker measures of itself, for Prometheus and for boards that know other names: the registry of all meters,
 * what answers a scrape, and the meters of the process, the stores and the links.
 */
@NullMarked
package io.godwit.broker.metrics;

import org.jspecify.annotations.NullMarked;
