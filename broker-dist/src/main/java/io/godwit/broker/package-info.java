/**
 * The broker process. This package uses the packages below; none of them uses it.
 *
 * <pre>
 * Main               the process: reads the configuration, starts and ends a Broker
 *   check              reads the configuration, and finds what prevents a start
 * Broker             starts and closes all parts in their order
 *   start              the steps of a start, and what they share
 *     cluster            what connects the stores and the MQTT server to those of other nodes
 *     store              what a store does through the other stores
 *     sys                the values below $SYS
 *   report             the status file, the log of events
 *   effective          the effective configuration, and what each part gets from it
 * </pre>
 */
@NullMarked
package io.godwit.broker;

import org.jspecify.annotations.NullMarked;
