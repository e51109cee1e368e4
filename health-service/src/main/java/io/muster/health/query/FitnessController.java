package io.muster.health.query;

import io.muster.contract.id.NodeId;
import io.muster.contract.node.Fitness;
import io.swagger.v3.oas.annotations.Hidden;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

@RestController
@Hidden
class FitnessController {

    private final NodeViews views;

    FitnessController(NodeViews views) {
        this.views = views;
    }

    @GetMapping("/internal/services/nodes/{node}/fitness")
    Fitness fitness(@PathVariable NodeId node) {
        return views.fitness(node);
    }
}
