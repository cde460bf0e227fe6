/**
 * Event loops whose threads follow the load: under light load one thread runs several of them, so that handing a task
 * from one to another wakes no thread (ADR 29).
 */
@NullMarked
package io.godwit.mqtt.transport.packing;

import org.jspecify.annotations.NullMarked;
