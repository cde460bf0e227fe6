/**
 * Event loops whose threads follow the load: while there is little to do, one thread runs several of them, so that what
 * one hands to another wakes nobody (ADR 29).
 */
@NullMarked
package io.godwit.mqtt.loop;

import org.jspecify.annotations.NullMarked;
