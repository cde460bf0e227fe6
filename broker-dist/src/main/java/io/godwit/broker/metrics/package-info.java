/**
 * The broker's own metrics, for Prometheus and for dashboards with other names: the registry of all meters, the
 * scrapes, and the meters of the process, the stores and the links.
 */
@NullMarked
package io.godwit.broker.metrics;

import org.jspecify.annotations.NullMarked;
