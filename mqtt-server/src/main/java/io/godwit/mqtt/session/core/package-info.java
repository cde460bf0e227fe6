/** What all parts of a session know, and what all sessions of a node share: settings, budgets and counts. */
@NullMarked
package io.godwit.mqtt.session.core;

import org.jspecify.annotations.NullMarked;
