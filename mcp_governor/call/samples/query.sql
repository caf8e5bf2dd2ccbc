SELECT 1 AS example;
