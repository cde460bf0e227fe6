package io.godwit.dist.client;

/**
 * A session that lives in the memory of this node only (session expiry 0). Implemented by the frontend; identity is
 * equality.
 */
public non-sealed interface LiveReceiver extends Receiver {}
