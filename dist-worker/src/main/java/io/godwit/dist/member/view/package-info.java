/** The view of members that all nodes agree on: its record in the dist store, and the steps that change it. */
@NullMarked
package io.godwit.dist.member.view;

import org.jspecify.annotations.NullMarked;
